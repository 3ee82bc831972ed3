/** Previews that wait for `resolve`, on a screen that another call wants too. */
import { expect, it } from "vitest"
import { IdeClosePreview, IdeShowPreview } from "../../src/handlers/index.ts"
import {
  HostEffectQueue,
  type HostQuestion,
  pipeline,
  Step,
  type ToolEvent,
  type ToolExecutor,
  type ToolExecutorOptions,
  type ToolPipeline,
} from "../../src/index.ts"
import { executorOf } from "../support/executor-of.ts"

const showing = (name: string) => pipeline().andThen(IdeShowPreview({ path: `/${name}`, content: name }))

const other = showing("other").awaitApproval().finally(IdeClosePreview())

const stagedOf = (apply: () => Step = () => Step.Continue): ToolPipeline =>
  showing("staged").awaitResolve({ label: "Change" }).andThen(apply).finally(IdeClosePreview())

const failingOnce = (): ToolPipeline => {
  let tries = 0
  return stagedOf(() => (tries++ === 0 ? Step.Error("The disk is full") : Step.Continue))
}

const resolveWith = (callId: string, action: "apply" | "discard") => ({
  callId,
  name: "resolve",
  params: { action, reason: "decided" },
})

type Steer = (executor: ToolExecutor) => void

const apply: Steer = (executor) => executor.enqueue([resolveWith("apply", "apply")])
const discard: Steer = (executor) => executor.enqueue([resolveWith("discard", "discard")])
const clear: Steer = (executor) => executor.agent().pendingActions.clear()
const callOther: Steer = (executor) => executor.enqueue([{ agentId: "two", callId: "other", name: "other" }])

interface Scenario {
  readonly plan?: ToolPipeline
  readonly background?: boolean
  readonly options?: ToolExecutorOptions
  /** What is done when a call has ended, by its id. */
  readonly after: Readonly<Record<string, Steer>>
  /** What is done when the other call asks for the screen. */
  readonly over: Steer
}

const endOf = (event: ToolEvent): string | undefined =>
  event._tag === "Completed" || event._tag === "Error" || event._tag === "BackgroundCompleted"
    ? event.callId
    : undefined

const showOn = (screen: Array<string>, question: HostQuestion): void => {
  if (question._tag === "AwaitingApproval") {
    question.approve()
    return
  }
  const { effect } = question
  if (effect._tag === "IdeShowPreview") screen.push(`shows ${(effect.preview as { path: string }).path}`)
  if (effect._tag === "IdeClosePreview") screen.push("closes")
  question.succeed()
}

/** Stages, lets another call ask for the screen, and gives what the screen showed. */
const watch = async ({ plan = stagedOf(), background = false, options = {}, after, over }: Scenario) => {
  const executor = executorOf({ staged: plan, other }, options)
  const queue = new HostEffectQueue()
  const screen: Array<string> = []
  executor.enqueue([{ callId: "staged", name: "staged", background }])
  for (let event = await executor.next(); event !== undefined; event = await executor.next()) {
    queue.push(event)
    for (let next = queue.take(); next !== undefined; next = queue.take()) showOn(screen, next)
    after[endOf(event) ?? ""]?.(executor)
    if (event._tag === "Delegate" && event.callId === "other" && event.effect._tag === "IdeShowPreview") {
      expect(queue.previewCallId).toBe("staged")
      over(executor)
    }
  }
  expect(queue.previewCallId).toBeUndefined()
  expect(queue.size).toBe(0)
  return screen
}

it.each<[string, Scenario]>([
  ["is applied", { after: { staged: callOther }, over: apply }],
  ["is discarded", { after: { staged: callOther }, over: discard }],
  ["is dropped", { after: { staged: callOther }, over: clear }],
  [
    "is applied at the second try",
    { plan: failingOnce(), after: { staged: apply, apply: callOther }, over: discard },
  ],
  ["of a background task is applied", { background: true, after: { staged: callOther }, over: apply }],
  [
    "of a call that a hook calls a failure is applied",
    {
      options: { hooks: { afterCall: () => ({ isError: true }) } },
      after: { staged: callOther },
      over: apply,
    },
  ],
  [
    "and all that follows it is applied",
    {
      plan: showing("staged")
        .awaitResolve({ label: "First" })
        .awaitResolve({ label: "Second" })
        .finally(IdeClosePreview()),
      after: { staged: apply, apply: callOther },
      over: discard,
    },
  ],
])("a preview stays on show until the action %s, cleanup included", async (_, scenario) => {
  expect(await watch(scenario)).toEqual(["shows /staged", "closes", "shows /other", "closes"])
})

it("a preview that nothing closes is over with its action", async () => {
  const plan = showing("staged").awaitResolve({ label: "Change" })
  const screen = await watch({ plan, after: { staged: callOther }, over: apply })
  expect(screen).toEqual(["shows /staged", "shows /other", "closes"])
})
