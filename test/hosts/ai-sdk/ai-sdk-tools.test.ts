import { describe, expect, it } from "vitest"
import { aiSdkTools } from "../../../src/hosts/ai-sdk/index.ts"
import { pipeline, Step, ToolFilters } from "../../../src/index.ts"
import { executorOf } from "../../support/executor-of.ts"
import { gatedTool } from "../../support/gated-tool.ts"
import { toldIn, versions } from "./versions.ts"

for (const { name, sdk, scripted } of versions) {
  const stopWhen = sdk.stepCountIs(10)

  describe(name, () => {
    it("runs what the model calls, and tells it the result", async () => {
      const executor = executorOf({
        greet: ({ whom }) => pipeline().andThen(() => Step.Output(`hello ${whom}`)),
      })
      const { model, asked } = scripted([[{ id: "a", name: "greet", params: { whom: "you" } }], "done"])
      const host = aiSdkTools(sdk, executor)
      const { text, steps } = await sdk.generateText({ model, prompt: "Greet", stopWhen, ...host })
      expect(text).toBe("done")
      expect(steps[0]!.toolResults[0]!.output).toMatchObject({ status: "complete", content: "hello you" })
      expect(asked[0]!.tools).toEqual(["greet"])
      expect(toldIn(asked[1]!.prompt)).toEqual({ a: { type: "text", value: "hello you" } })
    })

    it("asks for approval before a call that has a gate, and runs it once it is approved", async () => {
      const { plan, log } = gatedTool()
      const executor = executorOf({ write: plan })
      const host = aiSdkTools(sdk, executor)
      const { model, asked } = scripted([[{ id: "a", name: "write" }], "done"])
      const prompt = [{ role: "user" as const, content: "Write" }]
      const first = await sdk.generateText({ model, messages: prompt, stopWhen, ...host })
      const request = first.content.find((part) => part.type === "tool-approval-request")!
      expect(log).toEqual([])
      const { approvalId } = request
      const messages = [
        ...prompt,
        ...first.response.messages,
        {
          role: "tool" as const,
          content: [{ type: "tool-approval-response" as const, approvalId, approved: true }],
        },
      ]
      await sdk.generateText({ model, messages, stopWhen, ...host })
      expect(log).toEqual(["before", "after", "closed"])
      expect(toldIn(asked[1]!.prompt)).toEqual({ a: { type: "text", value: "after" } })
    })

    it("asks nobody about arguments that are not JSON, and runs nothing", async () => {
      const { plan, log } = gatedTool()
      const host = aiSdkTools(sdk, executorOf({ write: plan }))
      const { model, asked } = scripted([[{ id: "a", name: "write", params: '{"text": "cut' }], "done"])
      const { text } = await sdk.generateText({ model, prompt: "Write", stopWhen, ...host })
      expect(text).toBe("done")
      expect(log).toEqual([])
      expect(toldIn(asked[1]!.prompt)).toMatchObject({ a: { type: "error-text" } })
    })

    it("tells the model why a rule denies a call, with nothing run", async () => {
      const { plan, log } = gatedTool()
      const filters = ToolFilters.compile({ write: { deny: [".*"] } })
      const host = aiSdkTools(sdk, executorOf({ write: plan }, { filters }))
      const { model, asked } = scripted([[{ id: "a", name: "write" }], "done"])
      await sdk.generateText({ model, prompt: "Write", stopWhen, ...host })
      expect(log).toEqual([])
      expect(toldIn(asked[1]!.prompt)).toEqual({
        a: { type: "execution-denied", reason: expect.stringContaining("Denied by policy") },
      })
    })
  })
}
