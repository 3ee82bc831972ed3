import type { UIMessage } from "ai"
import { describe, expect, it, onTestFinished } from "vitest"
import { aiSdkTools } from "../../../src/hosts/ai-sdk/index.ts"
import { type HandlerContext, handler, pipeline, Step, type ToolEvent } from "../../../src/index.ts"
import { deferred, turn, until } from "../../support/deferred.ts"
import { executorOf } from "../../support/executor-of.ts"
import { heldTool } from "../../support/held-tool.ts"
import { toldIn, versions } from "./versions.ts"

const png = "iVBORw0KGgo="

for (const { name, sdk, scripted } of versions) {
  const stopWhen = sdk.stepCountIs(10)

  describe(`${name}: calls`, () => {
    it("stream what they put out as cumulative preliminary results", async () => {
      const more = deferred()
      const plan = pipeline().andThen(async ({ delta }: HandlerContext) => {
        await delta("one ")
        await more.promise
        await delta("two")
        return Step.Output("done")
      })
      const host = aiSdkTools(sdk, executorOf({ count: plan }))
      const { model } = scripted([[{ id: "a", name: "count" }], "end"])
      const result = sdk.streamText({ model, prompt: "Count", stopWhen, ...host })
      const seen: Array<unknown> = []
      for await (const part of result.fullStream) {
        if (part.type !== "tool-result") continue
        const { status, content } = part.output as { status: string; content: string }
        seen.push([part.preliminary === true, status, content])
        more.resolve()
      }
      expect(seen).toEqual([
        [true, "running", "one "],
        [true, "running", "one two"],
        [true, "complete", "done"],
        [false, "complete", "done"],
      ])
    })

    it("of one turn run in their lane in the model's order, whichever is decided first", async () => {
      const order: Array<string> = []
      const step = ({ call }: HandlerContext) => {
        order.push(call.callId)
        return Step.Output(call.callId)
      }
      const beforeCall = async ({ callId }: { readonly callId: string }) => {
        for (let i = 0; callId === "a" && i < 5; i++) await turn()
        return undefined
      }
      const executor = executorOf({ note: pipeline().andThen(step) }, { hooks: { beforeCall } })
      const calls = ["a", "b", "c"].map((id) => ({ id, name: "note" }))
      const { model, asked } = scripted([calls, "end"])
      const result = sdk.streamText({
        model,
        prompt: "Note",
        stopWhen,
        ...aiSdkTools(sdk, executor),
      })
      await result.consumeStream()
      expect(order).toEqual(["a", "b", "c"])
      expect(Object.keys(toldIn(asked[1]!.prompt))).toEqual(["a", "b", "c"])
    })

    it("that share one signal end with it, and those that wait never start", async () => {
      const warnings: Array<Error> = []
      const warned = (warning: Error) => warnings.push(warning)
      process.on("warning", warned)
      onTestFinished(() => void process.off("warning", warned))
      const held = heldTool()
      const events: Array<ToolEvent> = []
      const executor = executorOf({ held: held.plan })
      const calls = Array.from({ length: 20 }, (_, i) => ({ id: `c${i}`, name: "held" }))
      const { model } = scripted([calls, "end"])
      const controller = new AbortController()
      const host = aiSdkTools(sdk, executor, { onEvent: (event) => events.push(event) })
      const run = sdk.generateText({
        model,
        prompt: "Go",
        stopWhen,
        abortSignal: controller.signal,
        ...host,
      })
      await until(() => executor.inspect().length === 20)
      controller.abort()
      await expect(run).rejects.toMatchObject({ name: "AbortError" })
      expect(events.filter((event) => event._tag === "Started")).toHaveLength(1)
      expect(events.filter((event) => event._tag === "Cancelled")).toHaveLength(20)
      expect(executor.inspect()).toEqual([])
      expect(warnings).toEqual([])
    })

    it("end where whoever reads their results leaves", async () => {
      const closed: Array<string> = []
      const plan = pipeline()
        .andThen(async ({ delta, signal }: HandlerContext) => {
          await delta("one")
          await new Promise((resolve) => signal.addEventListener("abort", resolve))
          return Step.Continue
        })
        .finally(() => {
          closed.push("closed")
          return Step.Continue
        })
      const executor = executorOf({ wait: plan })
      const { tools } = aiSdkTools(sdk, executor)
      const execute = tools.wait!.execute as (...args: ReadonlyArray<unknown>) => AsyncGenerator<unknown>
      const results = execute({}, { toolCallId: "a", messages: [] })
      expect(await results.next()).toMatchObject({ value: { status: "running", content: "one" } })
      await results.return(undefined)
      await until(() => executor.inspect().length === 0)
      expect(closed).toEqual(["closed"])
    })

    it("of a tool with the name of a property of all objects are run", async () => {
      const executor = executorOf({ ["__proto__"]: pipeline().andThen(() => Step.Output("ran")) })
      const { model, asked } = scripted([[{ id: "a", name: "__proto__" }], "end"])
      await sdk.generateText({ model, prompt: "Go", stopWhen, ...aiSdkTools(sdk, executor) })
      expect(toldIn(asked[1]!.prompt)).toEqual({ a: { type: "text", value: "ran" } })
    })

    it("that were cut off while they streamed do not keep the conversation from going on", async () => {
      const plan = pipeline().andThen(async ({ delta, signal }: HandlerContext) => {
        await delta("one")
        await new Promise((resolve) => signal.addEventListener("abort", resolve))
        return Step.Continue
      })
      const host = aiSdkTools(sdk, executorOf({ count: plan }))
      const { model } = scripted([[{ id: "a", name: "count" }]])
      const controller = new AbortController()
      const { signal: abortSignal } = controller
      const result = sdk.streamText({ model, prompt: "Count", stopWhen, abortSignal, ...host })
      const kept: Array<UIMessage> = []
      for await (const message of sdk.readUIMessageStream({ stream: result.toUIMessageStream() })) {
        kept[0] = structuredClone(message)
        if (message.parts.some((part) => "preliminary" in part && part.preliminary)) controller.abort()
      }
      const prompt = await sdk.convertToModelMessages(kept, { tools: host.tools })
      expect(toldIn(prompt)).toEqual({
        a: { type: "error-text", value: "The call was interrupted. Its output so far:\none" },
      })
    })

    it("that fail are tool errors, and the model reads why", async () => {
      const { model, asked } = scripted([
        [
          { id: "a", name: "fail" },
          { id: "b", name: "greet", params: { whom: 1 } },
        ],
        "end",
      ])
      const executor = executorOf({ fail: pipeline().andThen(() => Step.Error("The disk is full")) })
      const host = aiSdkTools(sdk, executor)
      const { steps } = await sdk.generateText({ model, prompt: "Go", stopWhen, ...host })
      expect(steps[0]!.content.filter((part) => part.type === "tool-error")).toHaveLength(2)
      expect(toldIn(asked[1]!.prompt)).toMatchObject({
        a: { type: "error-text", value: expect.stringContaining("The disk is full") },
        b: { type: "error-text", value: expect.stringContaining("greet") },
      })
    })

    it("that show images show them to the model, also where they fail", async () => {
      const image = { type: "image" as const, data: png, mimeType: "image/png" }
      const text = { type: "text" as const, text: "a dot" }
      const warnings: Array<unknown> = []
      const logged = globalThis.AI_SDK_LOG_WARNINGS
      globalThis.AI_SDK_LOG_WARNINGS = (options: { readonly warnings: ReadonlyArray<unknown> }) =>
        void warnings.push(...options.warnings)
      onTestFinished(() => {
        globalThis.AI_SDK_LOG_WARNINGS = logged
      })
      const executor = executorOf({
        draw: pipeline().andThen(() => Step.Output({ content: [text, image] })),
        fail: pipeline().andThen(() => Step.Error("Blurred", { output: { content: [image] } })),
      })
      const { model, asked } = scripted([
        [
          { id: "a", name: "draw" },
          { id: "b", name: "fail" },
        ],
        "end",
      ])
      const host = aiSdkTools(sdk, executor)
      await sdk.generateText({ model, prompt: "Draw", stopWhen, ...host })
      const shown =
        name === "AI SDK 6"
          ? { type: "image-data", data: png, mediaType: "image/png" }
          : { type: "file", data: { type: "data", data: png }, mediaType: "image/png" }
      expect(toldIn(asked[1]!.prompt)).toMatchObject({
        a: { type: "content", value: [{ type: "text", text: "a dot" }, shown] },
        b: { type: "content", value: [{ type: "text", text: "Blurred" }, shown] },
      })
      expect(warnings).toEqual([])
    })

    it("in the background are told of as tasks, and go on", async () => {
      const held = heldTool()
      const events: Array<ToolEvent["_tag"]> = []
      const executor = executorOf({ held: held.plan })
      const host = aiSdkTools(sdk, executor, { onEvent: (event) => events.push(event._tag) })
      const { model, asked } = scripted([[{ id: "a", name: "held", params: { background: true } }], "end"])
      await sdk.generateText({ model, prompt: "Go", stopWhen, ...host })
      expect(toldIn(asked[1]!.prompt)).toEqual({
        a: { type: "text", value: "Running in background (task_id: a)" },
      })
      held.release("a")
      expect(await executor.tasks.wait("a")).toMatchObject({ status: "complete" })
      await until(() => events.includes("BackgroundCompleted"))
    })

    it("ask their effects of `onQuestion`", async () => {
      const ask = handler("ask", () => Step.Delegate({ _tag: "AskUser" }))
      const executor = executorOf({ ask: pipeline().andThen(ask) })
      const { model, asked } = scripted([[{ id: "a", name: "ask" }], "end"])
      const host = aiSdkTools(sdk, executor, {
        onQuestion: (question) => question._tag === "Delegate" && question.succeed("blue"),
      })
      await sdk.generateText({ model, prompt: "Ask", stopWhen, ...host })
      expect(toldIn(asked[1]!.prompt)).toEqual({ a: { type: "text", value: "blue" } })
    })
  })
}
