import fc from "fast-check"
import { expect, it } from "vitest"
import { HostEffectQueue } from "../../src/hosts/effect-queue.ts"
import {
  type Asked,
  actionPending,
  actionResolved,
  approvalOf,
  cancelled,
  close,
  diff,
  effectOf,
  open,
  stagedEnd,
} from "./questions.ts"

type Kind = "approval" | "preview" | "close" | "passing"

const kind = fc.constantFrom<Kind>("approval", "approval", "preview", "preview", "close", "passing")
const call = fc.nat(4)

const operation = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ op: fc.constant("ask" as const), call, kind, resolves: fc.option(fc.nat(3)) }),
  },
  { weight: 4, arbitrary: fc.record({ op: fc.constant("take" as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      op: fc.constant("answer" as const),
      call,
      how: fc.constantFrom("accept", "refuse", "elsewhere"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("acknowledge" as const), call }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("requeue" as const), call }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("end" as const), call }) },
  {
    weight: 2,
    arbitrary: fc.record({ op: fc.constant("stage" as const), call, resolvedAtOnce: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ op: fc.constant("over" as const), action: fc.nat(3), goesOn: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("close by hand" as const), call }) },
)

type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never

interface Question {
  readonly callId: string
  /** Whose preview it is about. */
  readonly owner: string
  readonly kind: Kind
  readonly asked: Asked<ReturnType<typeof approvalOf>["event"] | ReturnType<typeof effectOf>["event"]>
  taken: boolean
  /** Whether it was given back. */
  returned: boolean
}

interface Action {
  readonly id: string
  readonly stagedBy: string
}

const ask = (callId: string, kind: Kind, sourceCallId: string | undefined): Question["asked"] => {
  if (kind === "approval") return approvalOf(callId)
  return effectOf(callId, { preview: diff, close, passing: open }[kind], "main", sourceCallId)
}

/** What the queue promises, told with one list that is searched from its start each time. */
class Model {
  readonly queue = new HostEffectQueue()
  /** Open ones, in the order of asking. */
  open: Array<Question> = []
  private pending: Array<Action> = []
  private staged = 0
  private previewOf: string | undefined

  do(operation: Operation): void {
    switch (operation.op) {
      case "ask":
        return this.askAlone(
          `call ${operation.call}`,
          operation.kind,
          this.action(operation.resolves)?.stagedBy,
        )
      case "take":
        return this.take()
      case "answer": {
        const question = this.of(operation.call)
        if (question?.taken !== true) return
        if (operation.how === "elsewhere") this.answerElsewhere(question)
        else this.answer(question, operation.how === "accept")
        return
      }
      case "acknowledge": {
        const question = this.of(operation.call)
        const may = question !== undefined && (question.taken || this.hasRoom(question))
        expect(this.queue.acknowledge(`call ${operation.call}`)).toBe(may)
        if (may) this.handedOut(question)
        return
      }
      case "requeue": {
        const question = this.of(operation.call)
        expect(this.queue.requeue(`call ${operation.call}`)).toBe(question?.taken === true)
        if (question?.taken !== true) return
        question.taken = false
        question.returned = true
        if (question.kind === "preview") this.previewOver(question.owner)
        return
      }
      case "end": {
        const callId = `call ${operation.call}`
        this.queue.push(cancelled(callId))
        return this.ended(callId)
      }
      case "stage":
        return this.stage(`call ${operation.call}`, operation.resolvedAtOnce)
      case "over":
        return this.over(this.action(operation.action), operation.goesOn)
      case "close by hand": {
        const callId = `call ${operation.call}`
        expect(this.queue.previewClosed(callId)).toBe(this.previewOf === callId)
        return this.previewOver(callId)
      }
    }
  }

  check(): void {
    expect(this.queue.size).toBe(this.open.length)
    const onShow = this.open.filter(({ kind, taken }) => kind === "approval" && taken)
    expect(onShow.length).toBeLessThanOrEqual(1)
    expect(this.queue.approval?.callId).toBe(onShow[0]?.callId)
    expect(this.queue.previewCallId).toBe(this.previewOf)
    for (const { callId, asked } of this.open) {
      expect(asked.answer).toBeUndefined()
      expect(this.queue.find(callId)?._tag).toBe(asked.event._tag)
    }
  }

  /** Takes and answers until nothing is left; a call closes the preview that it was shown. */
  drain(): void {
    for (const question of this.open.filter(({ taken }) => taken)) this.answer(question, true)
    if (this.previewOf !== undefined) this.ask(this.previewOf, "close")
    while (this.open.length > 0) {
      const before = this.open.length
      this.take()
      for (const question of this.open.filter(({ taken }) => taken)) this.answer(question, true)
      expect(this.open.length).toBeLessThan(before)
      if (this.previewOf !== undefined) this.ask(this.previewOf, "close")
    }
  }

  /** One call at a time resolves what another one has staged, which has ended. */
  private askAlone(callId: string, kind: Kind, sourceCallId?: string): void {
    const owner = sourceCallId ?? callId
    if (this.open.some((other) => other.owner === owner && other.callId !== callId)) return
    this.ask(callId, kind, sourceCallId)
  }

  private ask(callId: string, kind: Kind, sourceCallId?: string): void {
    const asked = ask(callId, kind, sourceCallId)
    this.drop(callId)
    this.open.push({ callId, owner: sourceCallId ?? callId, kind, asked, taken: false, returned: false })
    expect(this.queue.push(asked.event)).toBe(true)
  }

  private action(index: number | null): Action | undefined {
    return index === null ? undefined : this.pending[index]
  }

  private stage(callId: string, resolvedAtOnce: boolean): void {
    const id = `action ${this.staged++}`
    this.queue.push(actionPending(id))
    if (resolvedAtOnce) this.queue.push(actionResolved(id))
    else this.pending.push({ id, stagedBy: callId })
    this.queue.push(stagedEnd(callId, id))
    this.ended(callId)
  }

  /** The action is over; where it goes on, its rest is an action of the same call. */
  private over(action: Action | undefined, goesOn: boolean): void {
    if (action === undefined) return
    const { stagedBy } = action
    const id = `action ${this.staged++}`
    if (goesOn) this.queue.push(actionPending(id, stagedBy))
    this.queue.push(actionResolved(action.id))
    if (goesOn) this.queue.push(stagedEnd("resolving", id))
    this.pending = this.pending.filter((other) => other !== action)
    if (goesOn) this.pending.push({ id, stagedBy })
    this.nobodyCloses(stagedBy)
  }

  private ended(callId: string): void {
    this.drop(callId)
    this.nobodyCloses(callId)
  }

  private nobodyCloses(callId: string): void {
    if (!this.pending.some(({ stagedBy }) => stagedBy === callId)) this.previewOver(callId)
  }

  private take(): void {
    const taken = this.queue.take()
    let expected = this.next()
    while (expected !== undefined && expected.kind === "close" && !this.owns(expected.owner)) {
      this.drop(expected.callId)
      expect(expected.asked.answer).toBe("succeeded")
      expected = this.next()
    }
    expect(taken?.callId).toBe(expected?.callId)
    if (expected !== undefined) this.handedOut(expected)
  }

  /**
   * The oldest of those of each kind that have room; ones that were given back are older than all others, and previews
   * of the call on show older still.
   */
  private next(): Question | undefined {
    const firsts = [["approval"], ["preview"], ["close", "passing"]].flatMap((kinds) => {
      const waiting = this.open.filter(({ kind, taken }) => kinds.includes(kind) && !taken)
      const own = kinds.includes("preview") && waiting.find(({ owner }) => owner === this.previewOf)
      return (own || waiting.find(({ returned }) => returned)) ?? waiting[0] ?? []
    })
    return this.open.find((question) => firsts.includes(question) && this.hasRoom(question))
  }

  private hasRoom({ kind, owner }: Question): boolean {
    if (kind === "approval") return !this.open.some((other) => other.kind === "approval" && other.taken)
    return kind !== "preview" || this.owns(owner)
  }

  private owns(callId: string): boolean {
    return this.previewOf === undefined || this.previewOf === callId
  }

  private handedOut(question: Question): void {
    if (question.taken) return
    question.taken = true
    if (question.kind === "preview") this.previewOf = question.owner
  }

  private answerElsewhere({ callId, owner, kind }: Question): void {
    const question = this.queue.find(callId)!
    expect(this.queue.answered(question)).toBe(true)
    expect(this.queue.answered(question)).toBe(false)
    this.drop(callId)
    if (kind === "close") this.previewOver(owner)
  }

  private answer({ callId, owner, kind, asked }: Question, accept: boolean): void {
    const question = this.queue.find(callId)!
    const accepted =
      question._tag === "AwaitingApproval" ? () => question.approve() : () => question.succeed()
    const refused =
      question._tag === "AwaitingApproval" ? () => question.deny("no") : () => question.fail("no")
    expect(accept ? accepted() : refused()).toBe(true)
    expect(accept ? accepted() : refused()).toBe(false)
    expect(asked.answer).toBeDefined()
    this.drop(callId)
    if (kind === "close" || (kind === "preview" && !accept)) this.previewOver(owner)
  }

  private of(call: number): Question | undefined {
    return this.open.find(({ callId }) => callId === `call ${call}`)
  }

  private drop(callId: string): void {
    this.open = this.open.filter((question) => question.callId !== callId)
  }

  private previewOver(callId: string): void {
    if (this.previewOf === callId) this.previewOf = undefined
  }
}

it("questions come in order, one approval and one preview at a time, and none is lost", () => {
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 60, size: "max" }), (operations) => {
      const model = new Model()
      for (const operation of operations) {
        model.do(operation)
        model.check()
      }
      model.drain()
      model.check()
    }),
    { numRuns: 500 },
  )
})
