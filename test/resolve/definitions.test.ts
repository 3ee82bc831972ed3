import { describe, expect, it } from "vitest"
import { pipeline, Step } from "../../src/index.ts"
import { ScriptedHost } from "../../src/testing.ts"
import { executorOf, toolOf } from "../support/executor-of.ts"
import { apply, discard, editTool, resolveCall, stage } from "./edit-tool.ts"

const names = (executor: ReturnType<typeof executorOf>, agentId?: string) =>
  executor
    .agent(agentId)
    .definitions()
    .map((tool) => tool.name)

const fake = toolOf(
  "resolve",
  pipeline().andThen(() => Step.Output("not this one")),
)

describe("the definition of resolve", () => {
  it("is offered to an agent while an action of its own is pending", async () => {
    const executor = executorOf({ edit: editTool().plan })
    expect(names(executor)).toEqual(["edit"])
    await stage(executor)
    expect(names(executor)).toEqual(["edit", "resolve"])
    expect(names(executor, "other")).toEqual(["edit"])
    await executor.agent().resolve(discard)
    expect(names(executor)).toEqual(["edit"])
  })

  it("is offered while a standing handler is set", () => {
    const executor = executorOf({})
    executor.agent("main").setStandingResolveHandler(() => "ok")
    expect(names(executor)).toEqual(["resolve"])
    executor.agent("main").setStandingResolveHandler(undefined)
    expect(names(executor)).toEqual([])
  })

  it("says what the model may give", async () => {
    const executor = executorOf({})
    executor.agent("main").setStandingResolveHandler(() => "ok")
    expect(executor.agent().definitions()[0]).toEqual({
      name: "resolve",
      description: expect.stringContaining("pending"),
      parameters: {
        type: "object",
        properties: {
          action: { type: "string", enum: ["apply", "discard"], description: expect.any(String) },
          reason: { type: "string", description: expect.any(String) },
          extra: { type: "object", additionalProperties: true, description: expect.any(String) },
        },
        required: ["action", "reason"],
      },
    })
  })

  it("is never listed among requested tools, and offered whatever is requested", async () => {
    const executor = executorOf({ edit: editTool().plan, other: pipeline() })
    executor.agent("main").setActiveTools(["edit", "resolve"])
    expect(names(executor)).toEqual(["edit"])
    await stage(executor)
    executor.agent("main").setActiveTools(["other"])
    expect(names(executor)).toEqual(["other", "resolve"])
    expect(await executor.agent().resolve(apply)).toMatchObject({ content: "changed a.ts" })
  })

  it("is the core's, also where a tool of that name is registered and requested", async () => {
    const executor = executorOf({ edit: editTool().plan, resolve: fake })
    executor.agent("main").setActiveTools(["edit", "resolve"])
    expect(names(executor)).toEqual(["edit"])
    await stage(executor)
    expect(names(executor)).toEqual(["edit", "resolve"])
    expect(await executor.run(resolveCall())).toMatchObject({ content: "changed a.ts" })
    expect(await executor.run(resolveCall())).toMatchObject({
      content: "No pending action to resolve. Nothing to apply or discard.",
    })
  })

  it("is among the tools that an unknown one is told of, when it can be called", async () => {
    const executor = executorOf({ edit: editTool().plan })
    await stage(executor)
    expect(await executor.run({ name: "reslove" })).toMatchObject({
      content: 'Unknown tool "reslove". Available tools: edit, resolve',
    })
  })
})

describe("a call of resolve", () => {
  it.each<[string, unknown]>([
    ["without a reason", { action: "apply" }],
    ["with another action", { action: "maybe", reason: "so" }],
    ["with extra data that is no object", { ...apply, extra: "title" }],
    ["with nothing", {}],
  ])("%s is invalid, and leaves the action pending", async (_, params) => {
    const { plan, log } = editTool()
    const executor = executorOf({ edit: plan })
    const host = new ScriptedHost(executor)
    await stage(executor)
    await host.run([resolveCall(params as never)])
    expect(host.terminal("r")).toMatchObject({
      reason: "invalid",
      content: expect.stringMatching(/^Validation failed for tool "resolve":/),
    })
    expect(executor.agent().pendingActions.hasPending).toBe(true)
    expect(log).toEqual(["preview a.ts"])
  })

  it("cannot run in the background", async () => {
    const executor = executorOf({ edit: editTool().plan })
    const host = new ScriptedHost(executor)
    await stage(executor)
    await host.run([resolveCall({ ...apply, background: true })])
    expect(host.terminal("r")).toMatchObject({ reason: "invalid" })
    expect(executor.agent().pendingActions.hasPending).toBe(true)
  })

  it("passes the host's hooks as any other call, also from executor.resolve", async () => {
    const seen: Array<unknown> = []
    const executor = executorOf(
      { edit: editTool().plan },
      {
        hooks: {
          beforeCall: ({ name }) => {
            seen.push(name)
            return name === "resolve" ? { block: true, reason: "not now" } : undefined
          },
        },
      },
    )
    await stage(executor)
    expect(await executor.agent().resolve(apply)).toMatchObject({ status: "denied", content: "not now" })
    expect(seen).toEqual(["edit", "resolve"])
    expect(executor.agent().pendingActions.hasPending).toBe(true)
  })
})
