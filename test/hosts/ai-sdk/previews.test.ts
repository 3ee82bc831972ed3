import type { ModelMessage } from "ai"
import { describe, expect, it } from "vitest"
import { aiSdkTools } from "../../../src/hosts/ai-sdk/index.ts"
import { pipeline, Step } from "../../../src/index.ts"
import { editTool } from "../../resolve/edit-tool.ts"
import { executorOf } from "../../support/executor-of.ts"
import { type ScriptedTurn, toldIn, versions } from "./versions.ts"

const reminder =
  "<system-reminder>\nThis is a preview. Call the `resolve` tool to apply or discard these changes.\n</system-reminder>"

const resolving = { id: "r", name: "resolve", params: { action: "apply", reason: "good" } }

const remindersIn = (prompt: unknown): number =>
  JSON.stringify(prompt).split(JSON.stringify(reminder).slice(1, -1)).length - 1

for (const { name, sdk, scripted } of versions) {
  const stopWhen = sdk.stepCountIs(10)
  const note = pipeline().andThen(() => Step.Output("noted"))

  describe(`${name}: a preview`, () => {
    it("offers `resolve` while it waits, reminds of it once, and is applied by it", async () => {
      const { plan, log } = editTool()
      const host = aiSdkTools(sdk, executorOf({ edit: plan, note }))
      const { model, asked } = scripted([[{ id: "a", name: "edit" }], [resolving], "end"])
      await sdk.generateText({ model, prompt: "Edit", stopWhen, ...host })
      expect(asked.map(({ tools }) => tools)).toEqual([
        ["edit", "note"],
        ["edit", "note", "resolve"],
        ["edit", "note"],
      ])
      expect(remindersIn(asked[1]!.prompt)).toBe(1)
      expect(remindersIn(asked[2]!.prompt)).toBeLessThanOrEqual(1)
      expect(log).toEqual(["preview a.ts", "apply a.ts", "close a.ts"])
      expect(toldIn(asked[2]!.prompt).r).toMatchObject({ value: "changed a.ts" })
    })

    it("withholds other calls, then forces `resolve`, then lets the choice free", async () => {
      const { plan, log } = editTool()
      const host = aiSdkTools(sdk, executorOf({ edit: plan, note }))
      const noting = (id: string) => [{ id, name: "note" }]
      const { model, asked } = scripted([
        [{ id: "a", name: "edit" }],
        [...noting("b"), ...noting("c")],
        [{ id: "d", name: "resolve", params: { action: "?" } }],
        [{ id: "e", name: "resolve", params: { action: "?" } }],
        [{ id: "f", name: "resolve", params: { action: "?" } }],
        noting("g"),
        "end",
      ])
      await sdk.generateText({ model, prompt: "Edit", stopWhen, ...host })
      const withheld = { type: "error-text", value: expect.stringContaining("was not executed") }
      expect(toldIn(asked[6]!.prompt)).toMatchObject({
        b: withheld,
        c: withheld,
        g: { type: "text", value: "noted" },
      })
      expect(asked.map(({ toolChoice }) => (toolChoice as { type: string }).type)).toEqual([
        "auto",
        "auto",
        "tool",
        "tool",
        "tool",
        "auto",
        "auto",
      ])
      expect(asked[2]!.tools).toEqual(["resolve"])
      expect(asked[5]!.tools).toEqual(["edit", "note", "resolve"])
      expect(log).toEqual(["preview a.ts"])
    })

    const answered = async (approved: boolean, ...beside: ReadonlyArray<{ id: string; name: string }>) => {
      const change = pipeline().awaitResolve({ label: "Change" }).awaitApproval()
      const host = aiSdkTools(sdk, executorOf({ change, note }))
      const { model, asked } = scripted([[{ id: "a", name: "change" }], [...beside, resolving], "end"])
      const messages: Array<ModelMessage> = [{ role: "user", content: "Change" }]
      const { content, response } = await sdk.generateText({ model, messages, stopWhen, ...host })
      const { approvalId } = content.find((part) => part.type === "tool-approval-request")!
      const answer = { type: "tool-approval-response" as const, approvalId, approved }
      messages.push(...response.messages, { role: "tool", content: [answer] })
      await sdk.generateText({ model, messages, stopWhen, ...host })
      return asked[2]!
    }

    it("does not force `resolve` after a call of it that a person denied", async () => {
      expect((await answered(false)).toolChoice).toEqual({ type: "auto" })
    })

    it("is applied when a person approves that, though its turn had another call", async () => {
      const { prompt } = await answered(true, { id: "b", name: "note" })
      expect(toldIn(prompt)).toMatchObject({
        b: { value: expect.stringContaining("was not executed") },
        r: { type: "text" },
      })
    })

    it.each<[string, ReadonlyArray<ScriptedTurn>]>([
      ["", []],
      [", nor after a wrong call of `resolve`", [[{ id: "w", name: "resolve", params: {} }]]],
    ])("is not asked about with approvals for calls that it withholds%s", async (_when, before) => {
      const { plan } = editTool()
      const write = pipeline()
        .awaitApproval()
        .andThen(() => Step.Output("wrote"))
      const host = aiSdkTools(sdk, executorOf({ edit: plan, write }))
      const { model, asked } = scripted([
        [{ id: "a", name: "edit" }],
        ...before,
        [{ id: "b", name: "write" }],
        [resolving],
        "end",
      ])
      const { text } = await sdk.generateText({ model, prompt: "Edit", stopWhen, ...host })
      expect(text).toBe("end")
      expect(toldIn(asked.at(-1)!.prompt)).toMatchObject({ b: { type: "error-text" } })
    })
  })
}
