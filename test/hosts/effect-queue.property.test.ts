import fc from "fast-check"
import { expect, it } from "vitest"
import { HostEffectQueue } from "../../src/hosts/effect-queue.ts"
import { type Asked, approvalOf, cancelled, close, diff, effectOf, open } from "./questions.ts"

type Kind = "approval" | "preview" | "close" | "passing"

const kind = fc.constantFrom<Kind>("approval", "approval", "preview", "preview", "close", "passing")
const call = fc.nat(9)

const operation = fc.oneof(
  { weight: 4, arbitrary: fc.record({ op: fc.constant("ask" as const), call, kind }) },
  { weight: 4, arbitrary: fc.record({ op: fc.constant("take" as const) }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant("answer" as const), call, accept: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("acknowledge" as const), call }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("requeue" as const), call }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("end" as const), call }) },
)

type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never

interface Question {
  readonly callId: string
  readonly kind: Kind
  readonly asked: Asked<ReturnType<typeof approvalOf>["event"] | ReturnType<typeof effectOf>["event"]>
  taken: boolean
  /** Whether it was given back. */
  returned: boolean
}

const ask = (callId: string, kind: Kind): Question["asked"] => {
  if (kind === "approval") return approvalOf(callId)
  return effectOf(callId, { preview: diff, close, passing: open }[kind])
}

/** What the queue promises, told with one list that is searched from its start each time. */
class Model {
  readonly queue = new HostEffectQueue()
  /** Open ones, in the order of asking. */
  open: Array<Question> = []
  private previewOf: string | undefined

  do(operation: Operation): void {
    switch (operation.op) {
      case "ask":
        return this.ask(`call ${operation.call}`, operation.kind)
      case "take":
        return this.take()
      case "answer": {
        const question = this.of(operation.call)
        if (question?.taken === true) this.answer(question, operation.accept)
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
        if (question.kind === "preview") this.previewOver(question.callId)
        return
      }
      case "end": {
        const callId = `call ${operation.call}`
        this.drop(callId)
        this.previewOver(callId)
        this.queue.push(cancelled(callId))
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

  private ask(callId: string, kind: Kind): void {
    const asked = ask(callId, kind)
    this.drop(callId)
    this.open.push({ callId, kind, asked, taken: false, returned: false })
    expect(this.queue.push(asked.event)).toBe(true)
  }

  private take(): void {
    const taken = this.queue.take()
    let expected = this.next()
    while (expected !== undefined && expected.kind === "close" && !this.owns(expected.callId)) {
      this.drop(expected.callId)
      expect(expected.asked.answer).toBe("succeeded")
      expected = this.next()
    }
    expect(taken?.callId).toBe(expected?.callId)
    if (expected !== undefined) this.handedOut(expected)
  }

  /** The oldest of those of each kind that have room, ones that were given back being older than all others. */
  private next(): Question | undefined {
    const firsts = [["approval"], ["preview"], ["close", "passing"]].flatMap((kinds) => {
      const waiting = this.open.filter(({ kind, taken }) => kinds.includes(kind) && !taken)
      return waiting.find(({ returned }) => returned) ?? waiting[0] ?? []
    })
    return this.open.find((question) => firsts.includes(question) && this.hasRoom(question))
  }

  private hasRoom({ kind, callId }: Question): boolean {
    if (kind === "approval") return !this.open.some((other) => other.kind === "approval" && other.taken)
    return kind !== "preview" || this.owns(callId)
  }

  private owns(callId: string): boolean {
    return this.previewOf === undefined || this.previewOf === callId
  }

  private handedOut(question: Question): void {
    if (question.taken) return
    question.taken = true
    if (question.kind === "preview") this.previewOf = question.callId
  }

  private answer({ callId, kind, asked }: Question, accept: boolean): void {
    const question = this.queue.find(callId)!
    const accepted =
      question._tag === "AwaitingApproval" ? () => question.approve() : () => question.succeed()
    const refused =
      question._tag === "AwaitingApproval" ? () => question.deny("no") : () => question.fail("no")
    expect(accept ? accepted() : refused()).toBe(true)
    expect(accept ? accepted() : refused()).toBe(false)
    expect(asked.answer).toBeDefined()
    this.drop(callId)
    if (kind === "close" || (kind === "preview" && !accept)) this.previewOver(callId)
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
    fc.property(fc.array(operation, { maxLength: 60 }), (operations) => {
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
