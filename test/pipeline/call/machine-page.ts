/** Writes down the machine of a call, as an exploration finds it: what each input does in each state. */
import type { Command } from "../../../src/pipeline/call/command.ts"
import type { Input } from "../../../src/pipeline/call/input.ts"
import type { CallState } from "../../../src/pipeline/call/state.ts"
import { transition } from "../../../src/pipeline/call/transition.ts"
import { explore } from "./explore.ts"
import { forPage } from "./scenarios.ts"

type Tag = CallState["_tag"]

const states: Readonly<Record<Tag, string>> = {
  Queued: "It waits for its turn in its lane: a new call, or one that was written down and read back.",
  Held: "Its turn has come, but the host asked to decide first, and has not.",
  Preparing: "Its parameters are checked, and its pipeline is composed.",
  Limited: "A limit of its tool lets it not begin yet.",
  Running: "A handler runs, or waits for a place among the background calls.",
  Asking:
    "It waits for an answer: an approval by rules, reviewers or the host, or an effect that the host carries out.",
  Stopping: "What ran is being interrupted.",
  Cleaning: "Its finally handlers run, one after another.",
  Judging: "The host's hook may change the result.",
  Ended: "It is over, and its one last event is told.",
}

const inputs: Readonly<Record<Input["_tag"], string>> = {
  Turn: "its turn has come: it begins, or goes on where it stood when it was written down",
  Admitted: "its parameters are right, and its pipeline is composed",
  Refused: "it may not run: wrong parameters, a rule, the host's hook, a limit that is used up",
  Limited: "it may run, but a limit of its tool lets it not begin yet",
  Known: "an earlier call with its idempotency key gave the result",
  Drop: "nobody will resolve the action: only its finally handlers run",
  Announced: "the host is told that it runs in the background",
  Placed: "there is a place among the background calls",
  Rested: "all nested calls of the handler wait",
  Woken: "not all nested calls of the handler wait any more",
  Returned: "the handler gave a step",
  Exhausted: "the handler's generator has no more steps",
  Failed: "the handler threw or failed",
  Flowed: "the reader has room for what was streamed",
  Asked: "the handler asks the host, and goes on by itself",
  Ruled: "the rules, and then the reviewers, say whether the gate is passed, asked on, or denied",
  Approve: "the host approves, perhaps with edited parameters",
  Deny: "the host denies",
  Answered: "the host answers the effect",
  AnswerFailed: "the host cannot carry the effect out",
  Claimed: "a call of `resolve` took a pending action: its parts are the call's now",
  Staged: "the rest of the pipeline is a pending action now",
  Unstaged: "too many actions wait: it cannot be staged",
  Stopped: "what was interrupted has ended",
  TimedOut: "the time that the state allows is over",
  Marked: "the open gate is to be warned of, or escalated",
  Cancel: "somebody cancels the call",
  ToBackground: "the host moves the call to the background",
  Judged: "the hook has had its say",
}

const commands: Readonly<Record<Command["_tag"], string>> = {
  Prepare: "check the parameters, ask the hook and the deny rules, compose the pipeline",
  TellStarted: "tell the host that it started",
  Announce: "tell the host that it runs in the background",
  Run: "run the handler, or read on in its generator",
  Reply: "give the handler the answer to what it asked",
  Stream: "tell the host what the handler streamed",
  Rule: "ask the rules about the gate",
  Review: "ask the reviewers about the gate",
  Ask: "ask the host",
  Warn: "tell when the open gate's time is over",
  Escalate: "ask further about the open gate",
  CloseQuestion: "tell whoever was asked that nobody waits any more",
  Remember: "make a rule of the approval",
  TakePlace: "ask for a place among the background calls",
  ReleasePlace: "give the place back",
  LeaveLane: "let the next call of the lane have its turn",
  Stage: "make a pending action of the rest of the pipeline",
  SettleAction: "take the action away: it was applied or discarded",
  RestoreAction: "make the action pending again",
  Interrupt: "end what runs",
  Close: "close the generator, and wait for it",
  RunFinal: "run the finally handler",
  Judge: "ask the hook about the result",
  TellEnd: "tell the host the end, and leave the lane",
}

interface Row {
  readonly next: Set<Tag>
  readonly commands: Set<Command["_tag"]>
}

const table = (): ReadonlyMap<Tag, ReadonlyMap<Input["_tag"], Row>> => {
  const rows = new Map<Tag, Map<Input["_tag"], Row>>()
  const moved = (from: CallState, { _tag }: Input, to: CallState, sent: ReadonlyArray<Command>) => {
    const ofState = rows.get(from._tag) ?? new Map<Input["_tag"], Row>()
    rows.set(from._tag, ofState)
    const row = ofState.get(_tag) ?? { next: new Set(), commands: new Set() }
    ofState.set(_tag, row)
    row.next.add(to._tag)
    for (const command of sent) row.commands.add(command._tag)
  }
  for (const scenario of forPage) explore(scenario, transition, { observer: { moved } })
  return rows
}

/** In the order of the list: the exploration's own order says nothing. */
const inOrder = <Name extends string>(
  names: Iterable<Name>,
  list: Readonly<Record<Name, string>>,
): Array<Name> => {
  const order = Object.keys(list)
  return [...names].sort((one, other) => order.indexOf(one) - order.indexOf(other))
}

/** The whole page. */
export const machinePage = (): string => {
  const rows = table()
  const lines = [
    "# What a call does",
    "",
    "A call is a record, and one state. `transition` in `src/pipeline/call/transition.ts` gives it one input at a time: it",
    "changes the record and says what is to be done, as commands. It does nothing itself; `driver.ts` carries commands out.",
    "An input that is not listed for a state changes nothing: an answer that came too late, a second approval.",
    "",
    "This page is written by `npm run docs:machine`: a test explores the machine and notes all that it saw. Do not edit it.",
    "",
    "```mermaid",
    "stateDiagram-v2",
    "  [*] --> Queued",
  ]
  for (const from of Object.keys(states) as Array<Tag>) {
    const next = new Set([...(rows.get(from)?.values() ?? [])].flatMap((row) => [...row.next]))
    next.delete(from)
    for (const to of inOrder(next, states)) lines.push(`  ${from} --> ${to}`)
  }
  lines.push("  Ended --> [*]", "```", "", "## States")
  for (const from of Object.keys(states) as Array<Tag>) {
    lines.push("", `### ${from}`, "", states[from], "")
    const ofState = rows.get(from)
    if (ofState === undefined) {
      lines.push("Nothing happens to it any more.")
      continue
    }
    lines.push("| input | it goes to | what is to be done |", "|---|---|---|")
    for (const input of inOrder(ofState.keys(), inputs)) {
      const { next, commands: sent } = ofState.get(input)!
      const told = inOrder(sent, commands).join(", ") || "nothing"
      lines.push(`| ${input} | ${inOrder(next, states).join(" or ")} | ${told} |`)
    }
  }
  lines.push(
    "",
    "Where a row names several states or commands, the record decides: which part is next, whether it is edited.",
  )
  lines.push("", "## Inputs", "", "| input | means that |", "|---|---|")
  for (const [name, meaning] of Object.entries(inputs)) lines.push(`| ${name} | ${meaning} |`)
  lines.push("", "## Commands", "", "| command | asks the actor to |", "|---|---|")
  for (const [name, meaning] of Object.entries(commands)) lines.push(`| ${name} | ${meaning} |`)
  return `${lines.join("\n")}\n`
}
