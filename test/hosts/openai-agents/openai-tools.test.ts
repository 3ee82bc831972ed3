import * as sdk from "@openai/agents"
import { describe, expect, it } from "vitest"
import { openaiTools } from "../../../src/hosts/openai-agents/index.ts"
import { pipeline, Step } from "../../../src/index.ts"
import { executorOf } from "../../support/executor-of.ts"
import { gatedTool } from "../../support/gated-tool.ts"
import { offeredIn, scripted, toldIn } from "./scripted-model.ts"

describe("OpenAI Agents", () => {
  it("runs what the model calls, and tells it the result", async () => {
    const executor = executorOf({
      greet: ({ whom }) => pipeline().andThen(() => Step.Output(`hello ${whom}`)),
    })
    const { runner, asked } = scripted([[{ id: "a", name: "greet", params: { whom: "you" } }], "done"])
    const agent = new sdk.Agent({ name: "Host", tools: openaiTools(sdk, executor) })
    const result = await runner.run(agent, "Greet")
    expect(result.finalOutput).toBe("done")
    expect(offeredIn(asked[0])).toEqual(["greet"])
    expect(toldIn(asked[1])).toEqual({ a: { type: "text", text: "hello you" } })
  })

  it("asks for approval before a call that has a gate, and runs it once it is approved", async () => {
    const { plan, log } = gatedTool()
    const { runner, asked } = scripted([[{ id: "a", name: "write" }], "done"])
    const agent = new sdk.Agent({ name: "Host", tools: openaiTools(sdk, executorOf({ write: plan })) })
    const first = await runner.run(agent, "Write")
    expect(log).toEqual([])
    first.state.approve(first.interruptions[0]!)
    await runner.run(agent, first.state)
    expect(log).toEqual(["before", "after", "closed"])
    expect(toldIn(asked[1])).toEqual({ a: { type: "text", text: "after" } })
  })
})
