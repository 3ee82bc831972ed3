/** Every kind of answer that a host gives to a call, and what follows of each; tools and hosts that note what runs. */
import * as Effect from "effect/Effect"
import {
  type AwaitingApprovalEvent,
  type DelegateEvent,
  handler,
  pipeline,
  Step,
  type ToolEvent,
  type ToolExecutor,
  type ToolPipeline,
} from "../../src/index.ts"
import { never } from "../support/deferred.ts"
import { executorOf, type Plan, toolOf } from "../support/executor-of.ts"

export type Log = Array<string>

const noted = (log: Log, name: string, step: Step = Step.Continue) =>
  handler(name, () => {
    log.push(name)
    return step
  })

/** Tools of which every part notes that it ran. */
const toolsOf = (log: Log): Readonly<Record<string, Plan>> => {
  const composed = (build: (plan: ToolPipeline) => ToolPipeline) => () => {
    log.push("compose")
    return build(pipeline()).andThen(noted(log, "after")).finally(noted(log, "finally"))
  }
  return {
    gate: composed((plan) => plan.awaitApproval()),
    asks: composed((plan) => plan.andThen(() => Step.Delegate({ _tag: "Ask" }))),
    asksFunction: composed((plan) => plan.andThen(() => Step.Delegate({ _tag: "AskFunction" }))),
    promise: composed((plan) =>
      plan.andThen(({ signal, delta }) => {
        signal.addEventListener("abort", () => log.push("signal"))
        void delta("begun")
        return never()
      }),
    ),
    effect: composed((plan) =>
      plan.andThen(({ delta }) =>
        Effect.sync(() => void delta("begun")).pipe(
          Effect.andThen(Effect.never),
          Effect.onInterrupt(() => Effect.sync(() => log.push("interrupted"))),
        ),
      ),
    ),
    generator: composed((plan) =>
      plan.andThen(async function* () {
        try {
          yield Step.Delegate({ _tag: "Ask" })
        } finally {
          log.push("returned")
        }
      }),
    ),
    staged: toolOf("staged", () =>
      pipeline()
        .awaitResolve({ label: "Change a.ts" })
        .awaitApproval()
        .andThen(noted(log, "after"))
        .finally(noted(log, "finally")),
    ),
    next: toolOf(
      "next",
      composed((plan) => plan),
    ),
  }
}

/** An executor that notes whatever of its host it calls. */
export const noting = (log: Log): ToolExecutor =>
  executorOf(toolsOf(log), {
    filters: {
      evaluate: () => {
        log.push("filter")
        return undefined
      },
      remember: () => {
        log.push("remember")
        return true
      },
    },
    hooks: {
      beforeCall: () => void log.push("beforeCall"),
      afterCall: () => void log.push("afterCall"),
    },
    delegates: {
      AskFunction: (_, { signal }) => {
        signal.addEventListener("abort", () => log.push("function's signal"))
        return never()
      },
    },
  })

export interface Answer {
  readonly tool: string
  /** The event of the call at which the host answers. */
  readonly at: ToolEvent["_tag"]
  readonly background?: boolean
  /** It is given a turn after that event alone: when it is told, what the answer ends has not begun. */
  readonly onlyLater?: true
  readonly give: (executor: ToolExecutor, event: ToolEvent) => unknown
  readonly told: unknown
  /** What the same answer gives a second time. */
  readonly again: unknown
  /** What runs once the host's code has returned. */
  readonly follows: ReadonlyArray<string>
}

const asGate = (event: ToolEvent) => event as AwaitingApprovalEvent
const asEffect = (event: ToolEvent) => event as DelegateEvent
export const next = [
  "beforeCall",
  "filter",
  "compose",
  "next Started",
  "after",
  "finally",
  "afterCall",
  "next Completed",
]
export const completed = ["after", "finally", "afterCall", "c Completed", ...next]
const failed = ["finally", "afterCall", "c Error", ...next]
const denied = ["finally", "c Denied", ...next]
const took = { told: true, again: false }

export const answers: Readonly<Record<string, Answer>> = {
  "approve, of the event": {
    tool: "gate",
    at: "AwaitingApproval",
    give: (_, event) => asGate(event).approve(),
    ...took,
    follows: completed,
  },
  "approve, by id": {
    tool: "gate",
    at: "AwaitingApproval",
    give: (executor) => executor.approve("c"),
    ...took,
    follows: completed,
  },
  "approve with parameters": {
    tool: "gate",
    at: "AwaitingApproval",
    give: (executor) => executor.approve("c", { params: { path: "b.ts" } }),
    ...took,
    follows: ["finally", "beforeCall", "filter", "compose", ...completed],
  },
  "approve and remember": {
    tool: "gate",
    at: "AwaitingApproval",
    give: (executor) => executor.approve("c", { remember: true }),
    ...took,
    follows: ["remember", ...completed],
  },
  "deny, of the event": {
    tool: "gate",
    at: "AwaitingApproval",
    give: (_, event) => asGate(event).deny(),
    ...took,
    follows: denied,
  },
  "deny, by id": {
    tool: "gate",
    at: "AwaitingApproval",
    give: (executor) => executor.deny("c"),
    ...took,
    follows: denied,
  },
  succeed: {
    tool: "asks",
    at: "Delegate",
    give: (_, event) => asEffect(event).succeed("yes"),
    ...took,
    follows: completed,
  },
  fail: {
    tool: "asks",
    at: "Delegate",
    give: (_, event) => asEffect(event).fail("no"),
    ...took,
    follows: failed,
  },
  "respond with an output": {
    tool: "asks",
    at: "Delegate",
    give: (executor) => executor.respond("c", { output: "yes" }),
    ...took,
    follows: completed,
  },
  "respond with an error": {
    tool: "asks",
    at: "Delegate",
    give: (executor) => executor.respond("c", { error: "no" }),
    ...took,
    follows: failed,
  },
  "cancel, of a promise": {
    tool: "promise",
    at: "Delta",
    give: (executor) => executor.cancel(),
    told: 2,
    again: 0,
    follows: ["signal", "next Cancelled", "finally", "c Cancelled"],
  },
  "cancel, of an Effect": {
    tool: "effect",
    at: "Delta",
    give: (executor) => executor.cancel(),
    told: 2,
    again: 0,
    follows: ["interrupted", "next Cancelled", "finally", "c Cancelled"],
  },
  "cancel, of a generator that has asked": {
    tool: "generator",
    at: "Delegate",
    give: (executor) => executor.cancel(),
    told: 2,
    again: 0,
    follows: ["next Cancelled", "finally", "c Cancelled", "returned"],
  },
  "cancel, of one at a gate": {
    tool: "gate",
    at: "AwaitingApproval",
    give: (executor) => executor.cancel(),
    told: 2,
    again: 0,
    follows: ["next Cancelled", "finally", "c Cancelled"],
  },
  cancelForeground: {
    tool: "promise",
    at: "Delta",
    give: (executor) => executor.cancelForeground(),
    told: 1,
    again: 0,
    follows: ["signal", "finally", "c Cancelled", ...next],
  },
  "cancelCall, of a promise": {
    tool: "promise",
    at: "Delta",
    give: (executor) => executor.cancelCall("c"),
    ...took,
    follows: ["signal", "finally", "c Cancelled", ...next],
  },
  "cancelCall, of an Effect": {
    tool: "effect",
    at: "Delta",
    give: (executor) => executor.cancelCall("c"),
    ...took,
    follows: ["interrupted", "finally", "c Cancelled", ...next],
  },
  "cancelCall, while a function answers": {
    tool: "asksFunction",
    at: "Started",
    onlyLater: true,
    give: (executor) => executor.cancelCall("c"),
    ...took,
    follows: ["function's signal", "finally", "c Cancelled", ...next],
  },
  "cancelCall, of what is queued behind": {
    tool: "promise",
    at: "Delta",
    give: (executor) => executor.cancelCall("next"),
    ...took,
    follows: ["next Cancelled"],
  },
  "toBackground, of what runs": {
    tool: "promise",
    at: "Delta",
    give: (executor) => executor.toBackground("c"),
    ...took,
    follows: ["c BackgroundStarted", ...next],
  },
  "toBackground, at a gate": {
    tool: "gate",
    at: "AwaitingApproval",
    give: (executor) => executor.toBackground("c"),
    ...took,
    follows: ["c BackgroundStarted", ...next],
  },
  "tasks.cancel": {
    tool: "promise",
    at: "Delta",
    background: true,
    give: (executor) => executor.tasks.cancel("c"),
    ...took,
    follows: ["signal", "finally", "c BackgroundCompleted"],
  },
}
