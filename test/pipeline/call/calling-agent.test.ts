import { Type } from "@sinclair/typebox"
import { describe, expect, it } from "vitest"
import {
  defineTool,
  type HandlerFunction,
  pipeline,
  Step,
  ToolExecutor,
  ToolRegistry,
} from "../../../src/index.ts"

const parameters = Type.Object({})

describe("context.agent", () => {
  it("stages previews for the agent that called, and for no other", async () => {
    const stage = defineTool({
      name: "stage",
      description: "Stages a preview.",
      parameters,
      compose: () =>
        pipeline().andThen(({ agent }) => {
          agent.pendingActions.push({ label: "Rename", apply: () => `applied for ${agent.agentId}` })
          return Step.Output("staged")
        }),
    })
    await using executor = new ToolExecutor(new ToolRegistry([stage]))
    await executor.run({ name: "stage", agentId: "anne" })
    expect(executor.agent("main").pendingActions.hasPending).toBe(false)
    const applied = await executor.agent("anne").resolve({ action: "apply", reason: "yes" })
    expect(applied.content).toContain("applied for anne")
  })

  it("cancels the agent's foreground calls, the caller's own too, and leaves other agents alone", async () => {
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    const tool = (name: string, act: HandlerFunction) =>
      defineTool({ name, description: name, parameters, compose: () => pipeline().andThen(act) })
    const wait = tool("wait", async () => {
      await released
      return Step.Output("waited")
    })
    const stop = tool("stop", ({ agent }) => {
      agent.cancel("enough")
      return Step.Output("never seen")
    })
    await using executor = new ToolExecutor(new ToolRegistry([wait, stop]))
    const other = executor.run({ name: "wait", agentId: "bob" })
    const [own, queued] = await Promise.all([
      executor.run({ name: "stop", agentId: "anne" }),
      executor.run({ name: "wait", agentId: "anne" }),
    ])
    expect([own.status, own.content, queued.status]).toEqual(["cancelled", "enough", "cancelled"])
    release()
    expect((await other).content).toBe("waited")
  })
})

describe("prepareParams", () => {
  const tool = (prepareParams: (params: unknown) => unknown) =>
    defineTool({
      name: "greet",
      description: "Greets.",
      parameters: Type.Object({ who: Type.String() }),
      prepareParams,
      compose: ({ who }) => pipeline().andThen(() => Step.Output(`hello ${who}`)),
    })

  it("rewrites what the model sent before it is validated", async () => {
    const renamed = tool((params) => ({ who: (params as { name: string }).name }))
    await using executor = new ToolExecutor(new ToolRegistry([renamed]))
    expect((await executor.run({ name: "greet", params: { name: "anne" } as never })).content).toBe(
      "hello anne",
    )
  })

  it("makes the call Invalid where it throws, with what was received", async () => {
    const throwing = tool(() => {
      throw new Error("that is too old")
    })
    await using executor = new ToolExecutor(new ToolRegistry([throwing]))
    const { status, content } = await executor.run({ name: "greet", params: { name: "anne" } as never })
    expect(status).toBe("error")
    expect(content).toBe(
      'Validation failed for tool "greet":\n  - root: that is too old\n\nReceived arguments:\n{\n  "name": "anne"\n}',
    )
  })
})
