/** What the adapter gives fits the types of both versions, with no cast. */
import * as sdk7 from "ai"
import { MockLanguageModelV4 } from "ai/test"
import * as sdk6 from "ai-6"
import { MockLanguageModelV3 } from "ai-6/test"
import { expect, it } from "vitest"
import { aiSdkTools } from "../../../src/hosts/ai-sdk/index.ts"
import { pipeline } from "../../../src/index.ts"
import { executorOf } from "../../support/executor-of.ts"

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
}
const answer = {
  content: [{ type: "text" as const, text: "done" }],
  finishReason: { unified: "stop" as const, raw: undefined },
  usage,
  warnings: [],
}

it("takes AI SDK 6, and is taken by its functions", async () => {
  const { tools, prepareStep } = aiSdkTools(sdk6, executorOf({ greet: pipeline() }))
  const model = new MockLanguageModelV3({ doGenerate: answer })
  const { text } = await sdk6.generateText({ model, prompt: "Greet", tools, prepareStep })
  expect(text).toBe("done")
  const agent = new sdk6.ToolLoopAgent({ model, tools, prepareStep })
  expect((await agent.generate({ prompt: "Greet" })).text).toBe("done")
})

it("takes AI SDK 7, and is taken by its functions", async () => {
  const { tools, toolApproval, prepareStep } = aiSdkTools(sdk7, executorOf({ greet: pipeline() }))
  const model = new MockLanguageModelV4({ doGenerate: answer })
  const { text } = await sdk7.generateText({ model, prompt: "Greet", tools, toolApproval, prepareStep })
  expect(text).toBe("done")
  const agent = new sdk7.ToolLoopAgent({ model, tools, toolApproval, prepareStep })
  expect((await agent.generate({ prompt: "Greet" })).text).toBe("done")
})
