/** What may happen next in the explored world. What is not the ordinary way costs one of the world's deviations. */

import { byUser } from "../../../src/model/decision.ts"
import { cancelled, deniedByPolicy, deniedByUser, failed } from "../../../src/model/outcome.ts"
import { Step } from "../../../src/model/step.ts"
import type { Input } from "../../../src/pipeline/call/input.ts"
import type { ExploredCall } from "./explored-call.ts"
import type { Restart } from "./explored-restart.ts"
import { admitted, type ExploredWorld } from "./explored-world.ts"

export interface Choice {
  readonly label: string
  readonly cost: 0 | 1
  /** Whether it may as well never come: a cancel, a time-out. */
  readonly optional: boolean
  take(world: ExploredWorld): void
}

const restarts: ReadonlyArray<Restart> = [
  { once: false, tools: "same" },
  { once: true, tools: "same" },
  { once: false, tools: "changed" },
  { once: false, tools: "gone" },
]

const effect = { _tag: "Ask" } as const
const message = "late"
const because = "no rule says so"

/** What the bookkeeping of the driver does besides. */
const noted = ({ side }: ExploredCall, input: Input): void => {
  const { _tag } = input
  if (_tag === "Turn" || _tag === "Refused") side.turnDue = false
  if (_tag === "Admitted" || _tag === "Refused" || _tag === "Limited") side.preparing = false
  if (_tag === "Flowed") side.flowing = 0
  if (_tag === "Ruled") side.ruling = 0
  if (_tag === "Judged") side.judging = false
  if (_tag === "Stopped") side.ending = 0
  if (_tag === "Asked") side.midway = true
  if (input._tag === "Returned" || input._tag === "Exhausted" || input._tag === "Failed") {
    side.inflight = 0
    side.midway = false
    side.reading = input._tag !== "Exhausted" && input.more
  }
}

class Choices {
  readonly all: Array<Choice> = []
  private readonly affordable: boolean

  constructor(affordable: boolean) {
    this.affordable = affordable
  }

  give(index: number, input: Input, cost: 0 | 1 = 0, optional = cost === 1, what = ""): void {
    if (cost === 1 && !this.affordable) return
    this.all.push({
      label: `${index}: ${input._tag}${what}`,
      cost,
      optional,
      take: (world) => {
        const call = world.own(index)
        noted(call, input)
        const cleans = call.record.state._tag === "Cleaning"
        const took = world.receive(index, input)
        if (!took) return
        if (!cleans && input._tag === "Returned" && input.step._tag === "AwaitApproval")
          call.side.ownGates += 1
        if (input._tag === "Ruled" && input.outcome === "pass") call.side.opened += 1
        if (input._tag === "Approve" && input.edit) call.side.lastAnswered = call.record.asked
      },
    })
  }

  returned(index: number, run: number, step: Step, cost: 0 | 1, more = false): void {
    this.give(
      index,
      { _tag: "Returned", run, step, more },
      cost,
      cost === 1,
      ` ${step._tag}${more ? " and more" : ""}`,
    )
  }

  /** The handler acquires what ends with its attempt. */
  acquires(index: number): void {
    if (!this.affordable) return
    const take = (world: ExploredWorld) => {
      world.own(index).record.scoped = true
    }
    this.all.push({ label: `${index}: acquires`, cost: 1, optional: true, take })
  }
}

const approve = { _tag: "Approve", edit: false, remember: false } as const

export const choicesOf = (world: ExploredWorld): ReadonlyArray<Choice> => {
  const choices = new Choices(world.budget > 0)
  if (world.mailbox.length > 0) {
    const { to, command } = world.mailbox[0]!
    choices.all.push({
      label: `${to}: does ${command._tag}`,
      cost: 0,
      optional: false,
      take: (next) => next.deliver(),
    })
  }
  for (let index = 0; index < world.calls.length; index++) ofCall(world, index, choices)
  if (world.budget > 0 && world.actions.some(({ status }) => status === "pending")) {
    for (const agent of world.lanes.keys()) {
      choices.all.push({
        label: `clear ${agent}`,
        cost: 1,
        optional: true,
        take: (next) => next.clear(agent),
      })
    }
  }
  if (world.restarts && world.budget > 0 && world.calls.some(({ side }) => !side.toldEnd)) {
    for (const how of restarts) {
      choices.all.push({
        label: `the process ends: ${how.once ? "once" : "again"}, ${how.tools} tools`,
        cost: 1,
        optional: true,
        take: (next) => next.restart(how),
      })
    }
  }
  return choices.all
}

const ofCall = (world: ExploredWorld, index: number, choices: Choices): void => {
  const call = world.calls[index]!
  const { side, record } = call
  const { state } = record
  if (side.turnDue && call.spec.refused) {
    choices.give(index, { _tag: "Refused", outcome: failed("duplicate", "no") })
    return
  }
  if (side.turnDue) choices.give(index, { _tag: "Turn" })
  if (side.ending > 0) choices.give(index, { _tag: "Stopped", run: side.ending - 1 })
  if (state._tag === "Ended") return
  choices.give(index, { _tag: "Cancel", outcome: cancelled() }, 1)
  if (side.flowing > 0) choices.give(index, { _tag: "Flowed", run: side.flowing })
  const isQuiet = world.mailbox.length === 0
  const timedOut = () => isQuiet && choices.give(index, { _tag: "TimedOut", message }, 1)
  switch (state._tag) {
    case "Queued":
    case "Held":
      if (record.toolCall.decision !== "requested") return
      choices.give(index, approve)
      choices.give(index, { ...approve, edit: true, params: {}, remember: "call" }, 1, true, " edited")
      choices.give(index, { _tag: "Deny", outcome: deniedByUser() }, 1)
      return
    case "Preparing":
      if (!side.preparing) return
      choices.give(index, admitted(call))
      choices.give(index, { _tag: "Refused", outcome: failed("invalid", "no") }, 1)
      choices.give(index, { _tag: "Limited", because, maxWait: 1 }, 1, true)
      timedOut()
      return
    case "Limited":
      choices.give(index, admitted(call))
      timedOut()
      return
    case "Running":
      handlerChoices(index, call, choices)
      choices.give(index, { _tag: "ToBackground" }, 1)
      if (side.inflight > 0 && record.place !== "asked") timedOut()
      return
    case "Asking":
      questionChoices(index, call, choices)
      choices.give(index, { _tag: "ToBackground" }, 1)
      if (state.question.kind === "delegate") handlerChoices(index, call, choices)
      if (side.openAsk === state.question.id || isReviewed(call)) timedOut()
      return
    case "Stopping":
      if (side.ending > 0) timedOut()
      return
    case "Cleaning":
      finalChoices(index, call, choices)
      if (state.question !== undefined) answerChoices(index, state.question.id, side.openAsk > 0, choices)
      if (side.inflight > 0 || side.openAsk > 0) timedOut()
      return
    case "Judging":
      if (!side.judging) return
      choices.give(index, { _tag: "Judged" })
      timedOut()
  }
}

/** A generator that failed or gave a step leaves the same handler in flight no more. */
const handlerChoices = (index: number, { side, record, spec }: ExploredCall, choices: Choices): void => {
  const run = side.inflight
  if (run === 0 || run !== record.run) return
  const cause = undefined
  // What it asks through its context it waits for, as a rule.
  const letter = record.parts[record.at]!.name[0]
  const asksMidway = letter === "m"
  const cost = side.midway && !asksMidway ? 1 : 0
  if (side.reading) choices.give(index, { _tag: "Exhausted", run }, cost)
  else if (asksMidway) choices.returned(index, run, Step.Continue, 0, true)
  else if (letter === "d") choices.returned(index, run, Step.Delegate(effect), cost)
  else choices.returned(index, run, Step.Output("x".repeat(record.at + 1)), cost)
  choices.returned(index, run, Step.Error("wrong"), 1)
  choices.give(index, { _tag: "Failed", run, message, cause, thrown: true, more: false }, 1)
  // The own handler of `resolve` is a promise that asks nobody.
  if (spec.resolves !== undefined && record.links.resolving === undefined) return
  choices.returned(index, run, Step.Continue, 1)
  choices.returned(index, run, Step.Delta("text"), 1)
  if (!side.midway) {
    const costs = asksMidway && side.reading ? 0 : 1
    choices.give(index, { _tag: "Asked", run, effect, timeout: undefined }, costs, true)
  }
  if (record.toolCall.background && record.state._tag === "Running") {
    const isAtRest = record.place === "none"
    choices.give(index, { _tag: isAtRest ? "Woken" : "Rested" }, isAtRest ? 0 : 1, !isAtRest)
  }
  if (!record.scoped) choices.acquires(index)
  choices.returned(index, run, Step.AwaitApproval(), 1)
  choices.returned(index, run, Step.Delegate(effect), 1, true)
  choices.returned(index, run, Step.Output("more"), 1, true)
  choices.returned(index, run, Step.AwaitApproval(), 1, true)
  choices.give(index, { _tag: "Failed", run, message, cause, thrown: true, more: true }, 1, true, " and more")
}

const finalChoices = (index: number, { side, record }: ExploredCall, choices: Choices): void => {
  const run = side.inflight
  if (run === 0 || run !== record.run) return
  const cause = undefined
  const cost = side.midway ? 1 : 0
  if (side.reading) choices.give(index, { _tag: "Exhausted", run }, cost)
  else choices.returned(index, run, Step.Continue, cost)
  choices.returned(index, run, Step.Error("wrong"), 1)
  choices.give(index, { _tag: "Failed", run, message, cause, thrown: true, more: false }, 1)
  choices.give(index, { _tag: "Failed", run, message, cause, thrown: true, more: true }, 1, true, " and more")
  choices.returned(index, run, Step.Delta("text"), 1)
  choices.returned(index, run, Step.Delegate(effect), 1)
  choices.returned(index, run, Step.AwaitApproval(), 1)
  choices.returned(index, run, Step.Delegate(effect), 1, true)
  if (!side.midway) choices.give(index, { _tag: "Asked", run, effect, timeout: undefined }, 1)
}

const answerChoices = (index: number, id: number, wasAsked: boolean, choices: Choices): void => {
  choices.give(index, { _tag: "Answered", id, output: undefined }, wasAsked ? 0 : 1)
  choices.give(index, { _tag: "AnswerFailed", id, message: "no" }, 1)
}

/** Whether reviewers are asked about the gate. */
const isReviewed = ({ side, record: { state } }: ExploredCall): boolean =>
  side.ruling > 0 &&
  state._tag === "Asking" &&
  state.question.kind === "approval" &&
  state.question.because !== undefined

const questionChoices = (index: number, { side, record }: ExploredCall, choices: Choices): void => {
  const { state } = record
  if (state._tag !== "Asking") return
  const { question } = state
  const { id } = question
  if (question.kind === "delegate") return answerChoices(index, id, question.isAsked, choices)
  if (side.ruling > 0) {
    const ruled = { _tag: "Ruled", id: side.ruling, because } as const
    choices.give(index, { ...ruled, outcome: "ask" })
    if (!question.person) {
      choices.give(index, { ...ruled, outcome: "pass" }, 1, true, " pass")
      choices.give(index, { ...ruled, outcome: deniedByPolicy("no", byUser) }, 1, true, " deny")
      if (question.because === undefined)
        choices.give(index, { ...ruled, outcome: "review" }, 1, true, " review")
    }
  }
  if (!question.isAsked) return
  choices.give(index, approve)
  choices.give(index, { _tag: "Deny", outcome: deniedByUser() }, 1)
  choices.give(index, { ...approve, edit: true, params: {} }, 1, true, " edited")
  choices.give(index, { ...approve, remember: "call" }, 1, true, " for ever")
}

/** Answers to what is over: none may take effect. */
export const lateInputs = ({ record, side }: ExploredCall): ReadonlyArray<Input> => {
  const { state, run, asked } = record
  const inputs: Array<Input> = []
  const output = undefined
  // Rules and reviewers come first.
  if (state._tag === "Asking" && state.question.kind === "approval" && !state.question.isAsked)
    inputs.push(approve, { _tag: "Deny", outcome: deniedByUser() })
  if (run > 1 || (run === 1 && side.begun === 0)) {
    const late = run - 1
    inputs.push(
      { _tag: "Returned", run: late, step: Step.Continue, more: false },
      { _tag: "Failed", run: late, message, cause: undefined, thrown: true, more: false },
      { _tag: "Exhausted", run: late },
      { _tag: "Flowed", run: late },
      { _tag: "Asked", run: late, effect, timeout: undefined },
      { _tag: "Stopped", run: late },
    )
  }
  if (asked > 1 || (asked === 1 && state._tag !== "Asking" && state._tag !== "Cleaning")) {
    const id = state._tag === "Asking" || state._tag === "Cleaning" ? asked - 1 : asked
    inputs.push(
      { _tag: "Answered", id, output },
      { _tag: "AnswerFailed", id, message },
      { _tag: "Ruled", id, outcome: "pass" },
    )
    if (state._tag !== "Queued" && state._tag !== "Held") {
      inputs.push(
        { ...approve, id },
        { ...approve, id, edit: true },
        { _tag: "Deny", id, outcome: deniedByUser() },
      )
    }
  }
  if (state._tag === "Ended")
    inputs.push({ _tag: "Judged" }, { _tag: "TimedOut", message }, { _tag: "ToBackground" })
  if (state._tag !== "Queued") inputs.push({ _tag: "Turn" })
  return inputs
}
