/** How long a call may still run, and wait, once it goes on in another process. Time passes when the test says so. */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { TestClock } from "effect/testing"
import { expect, it, onTestFinished } from "vitest"
import { StoreDatabase } from "../../src/durable/sqlite/database.ts"
import { SqliteExecutor } from "../../src/durable/sqlite/sqlite-executor.ts"
import { type DurationInput, pipeline, Step, type ToolExecutorOptions } from "../../src/index.ts"
import { withEnvironment } from "../../src/pipeline/executor-environment.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { turn, until } from "../support/deferred.ts"
import { type Plan, registryOf } from "../support/executor-of.ts"
import { heldTool } from "../support/held-tool.ts"
import { untilTag } from "./durable-of.ts"

const path = useTempFolder()

/** Processes of one store, one after another, on one clock. */
const timed = async () => {
  const scope = Scope.makeUnsafe()
  onTestFinished(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const context = await Effect.runPromise(
    Layer.buildWithScope(TestClock.layer({ warningDelay: "1 hour" }), scope),
  )
  return {
    open: async (plans: Readonly<Record<string, Plan>>, options: ToolExecutorOptions) => {
      const database = await StoreDatabase.open(path("calls.db"), true)
      const services = context as unknown as Context.Context<never>
      const durable = SqliteExecutor.over(database, registryOf(plans), withEnvironment(options, services))
      onTestFinished(() => durable.close())
      return durable
    },
    pass: async (time: DurationInput) => {
      await turn()
      await Effect.runPromise(Effect.provideContext(TestClock.adjust(time), context))
      await turn()
    },
  }
}

/** A call that ran for four of its five minutes, and waits at its gate in a process that has the store anew. */
const atItsGate = async (limits: Pick<ToolExecutorOptions, "taskTimeout"> = {}) => {
  const { open, pass } = await timed()
  const [before, after] = [heldTool(), heldTool()]
  const plans = { tool: pipeline().andThen(before.hold).awaitApproval().andThen(after.hold) }
  const options = { callTimeout: "5 minutes", ...limits } as const
  const first = await open(plans, options)
  await first.enqueue([{ callId: "c", name: "tool" }])
  await until(() => before.running.length > 0)
  await pass("4 minutes")
  before.release("c")
  await untilTag(first, "AwaitingApproval")
  await first.close()
  const second = await open(plans, options)
  await untilTag(second, "AwaitingApproval")
  return { second, after, pass }
}

it("a call that waited at its gate has left of `callTimeout` what it had", async () => {
  const { second, after, pass } = await atItsGate()
  await pass("1 hour")
  expect(await second.approve("c")).toBe(true)
  await until(() => after.running.length > 0)
  await pass("59 seconds")
  expect(second.executor.inspect()).toMatchObject([{ callId: "c", state: "running" }])
  await pass("2 seconds")
  expect(await untilTag(second, "Error")).toMatchObject({
    callId: "c",
    reason: "timeout",
    content: "Timed out after 5 minutes\nc",
  })
})

it("a call that waited at its gate, and is moved to the background there, has the time of a task", async () => {
  const { second, after, pass } = await atItsGate({ taskTimeout: "1 hour" })
  expect(second.executor.toBackground("c")).toBe(true)
  expect(await second.approve("c")).toBe(true)
  await until(() => after.running.length > 0)
  await pass("59 minutes")
  expect(second.executor.inspect()).toMatchObject([{ callId: "c", state: "running" }])
  after.release("c")
  expect(await untilTag(second, "BackgroundCompleted")).toMatchObject({ callId: "c", status: "complete" })
})

it("an effect that is asked again has its time anew", async () => {
  const { open, pass } = await timed()
  const plans = { tool: pipeline().andThen(() => Step.Delegate({ _tag: "Ask" })) }
  const options = { delegateTimeout: "30 seconds" } as const
  const first = await open(plans, options)
  await first.enqueue([{ callId: "c", name: "tool" }])
  await untilTag(first, "Delegate")
  await pass("20 seconds")
  await first.close()
  const second = await open(plans, options)
  await untilTag(second, "Delegate")
  await pass("20 seconds")
  expect(second.executor.inspect()).toMatchObject([{ callId: "c", waitingFor: "Ask" }])
  await pass("11 seconds")
  expect(await untilTag(second, "Error")).toMatchObject({ callId: "c", reason: "timeout" })
})
