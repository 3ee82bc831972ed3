// @module-tag waits
/** The agent loops of `docs/recipes`, each with the real package: the clients of providers over a real socket. */
import Anthropic from "@anthropic-ai/sdk"
import OpenAI from "openai"
import { describe, expect, it } from "vitest"
import { converse as aiSdk, type Question } from "../../docs/recipes/ai-sdk-loop.ts"
import { converse as anthropic } from "../../docs/recipes/anthropic-loop.ts"
import { converse as openai } from "../../docs/recipes/openai-loop.ts"
import { pipeline, Step, type ToolEvent, ToolFilters } from "../../src/index.ts"
import { toldIn, versions } from "../hosts/ai-sdk/versions.ts"
import { editTool } from "../resolve/edit-tool.ts"
import { executorOf } from "../support/executor-of.ts"
import { modelServer } from "./model-server.ts"

const image = { type: "image" as const, data: "iVBORw0KGgo=", mimeType: "image/png" }

/** A tool that asks, one that previews, one that draws. */
const tools = () => {
  const edit = editTool()
  const write = ({ path }: Record<string, unknown>) =>
    pipeline()
      .awaitApproval()
      .andThen(() => Step.Output(`wrote ${path}`))
  const draw = pipeline().andThen(() => Step.Output({ content: [image] }))
  return { executor: executorOf({ write, edit: edit.plan, draw }), log: edit.log }
}

/** A person who approves `x`, and nothing else. */
const person = (event: ToolEvent): void => {
  if (event._tag !== "AwaitingApproval") return
  if ((event.params as { path?: unknown }).path === "x") event.approve()
  else event.deny("Not this file")
}

const cutText = expect.stringContaining("cut at its token limit")

const resolve = { action: "apply", reason: "good" }

const turns = [
  [
    { id: "a", name: "write", params: { path: "x" } },
    { id: "b", name: "write", params: { path: "y" } },
    { id: "c", name: "draw", params: {} },
  ],
  [{ id: "d", name: "edit", params: {} }],
  [{ id: "e", name: "resolve", params: resolve }],
]

describe("the loop on @anthropic-ai/sdk", () => {
  const message = (content: ReadonlyArray<unknown>) => ({
    id: "m",
    type: "message",
    role: "assistant",
    model: "claude",
    content,
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  })
  const calling = (calls: (typeof turns)[number]) =>
    message(calls.map(({ id, name, params }) => ({ type: "tool_use", id, name, input: params })))

  it("runs calls, tells denials and images, and resolves a preview", async () => {
    const { url, asked } = await modelServer([
      ...turns.map(calling),
      message([{ type: "text", text: "done" }]),
    ])
    const client = new Anthropic({ apiKey: "none", baseURL: url, maxRetries: 0 })
    const { executor, log } = tools()
    expect(await anthropic(client, "a-model", executor, "Write", person)).toBe("done")
    expect(asked.map(({ path }) => path)).toEqual(Array(4).fill("/v1/messages"))
    const names = asked.map(({ body }) => body.tools.map((tool: { name: string }) => tool.name))
    expect(names.map((offered) => offered.includes("resolve"))).toEqual([false, false, true, false])
    expect(asked[1]!.body.messages.at(-1).content).toMatchObject([
      { tool_use_id: "a", is_error: false, content: [{ type: "text", text: "wrote x" }] },
      { tool_use_id: "b", is_error: true, content: [{ text: expect.stringMatching(/^Not this file/) }] },
      { tool_use_id: "c", content: [{ type: "image", source: { data: image.data } }] },
    ])
    expect(asked[2]!.body.messages.at(-1).content.at(-1).text).toContain("This is a preview.")
    expect(log).toEqual(["preview a.ts", "apply a.ts", "close a.ts"])
  })

  it("runs nothing of an answer that was cut, and tells the model so", async () => {
    const cut = { ...calling([{ id: "a", name: "draw", params: {} }]), stop_reason: "max_tokens" }
    const { url, asked } = await modelServer([cut, message([{ type: "text", text: "done" }])])
    const client = new Anthropic({ apiKey: "none", baseURL: url, maxRetries: 0 })
    await anthropic(client, "a-model", tools().executor, "Draw", person)
    expect(asked[1]!.body.messages.at(-1).content).toMatchObject([
      { is_error: true, content: [{ text: cutText }] },
    ])
  })
})

describe("the loop on openai", () => {
  const response = (output: ReadonlyArray<unknown>) => ({
    id: "r",
    object: "response",
    created_at: 0,
    status: "completed",
    model: "gpt",
    output,
  })
  const calling = (calls: (typeof turns)[number]) =>
    response(
      calls.map(({ id, name, params }) => ({
        type: "function_call",
        id: `fc_${id}`,
        call_id: id,
        name,
        arguments: JSON.stringify(params),
        status: "completed",
      })),
    )
  const saying = (text: string) =>
    response([
      {
        type: "message",
        id: "m",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text, annotations: [] }],
      },
    ])

  it("runs calls, tells denials and images, and resolves a preview", async () => {
    const { url, asked } = await modelServer([...turns.map(calling), saying("done")])
    const client = new OpenAI({ apiKey: "none", baseURL: url, maxRetries: 0 })
    const { executor, log } = tools()
    expect(await openai(client, "a-model", executor, "Write", person)).toBe("done")
    expect(asked.map(({ path }) => path)).toEqual(Array(4).fill("/responses"))
    const names = asked.map(({ body }) => body.tools.map((tool: { name: string }) => tool.name))
    expect(names.map((offered) => offered.includes("resolve"))).toEqual([false, false, true, false])
    expect(asked[1]!.body.input.slice(-3)).toMatchObject([
      { call_id: "a", output: [{ type: "input_text", text: "wrote x" }] },
      { call_id: "b", output: [{ text: expect.stringMatching(/^Not this file/) }] },
      { call_id: "c", output: [{ image_url: `data:image/png;base64,${image.data}` }] },
    ])
    expect(asked[2]!.body.input.at(-1).content).toContain("This is a preview.")
    expect(log).toEqual(["preview a.ts", "apply a.ts", "close a.ts"])
  })

  it("runs nothing of an answer that was cut, and tells the model so", async () => {
    const answer = calling([{ id: "a", name: "draw", params: {} }])
    const cut = { ...answer, status: "incomplete", incomplete_details: { reason: "max_output_tokens" } }
    const { url, asked } = await modelServer([cut, saying("done")])
    const client = new OpenAI({ apiKey: "none", baseURL: url, maxRetries: 0 })
    await openai(client, "a-model", tools().executor, "Draw", person)
    expect(asked[1]!.body.input.at(-1).output).toMatchObject([{ text: cutText }])
  })

  it("tells the model of arguments that are no JSON", async () => {
    const broken = calling([{ id: "a", name: "draw", params: {} }])
    ;(broken.output[0] as { arguments: string }).arguments = "{"
    const { url, asked } = await modelServer([broken, saying("done")])
    const client = new OpenAI({ apiKey: "none", baseURL: url, maxRetries: 0 })
    await openai(client, "a-model", tools().executor, "Draw", person)
    expect(asked[1]!.body.input.at(-1).output[0].text).toContain("Validation failed for tool")
  })
})

describe("the loop on the AI SDK", () => {
  it("stops at an approval, and goes on with its answer", async () => {
    const { model, asked } = versions[1]!.scripted([...turns, "done"])
    const { executor, log } = tools()
    const questions: Array<Question> = []
    const answer = await aiSdk(model, executor, "Write", async (question) => {
      questions.push(question)
      const { path } = question.input as { path: string }
      return path === "x" ? { approved: true } : { approved: false, reason: "Not this file" }
    })
    expect(answer).toBe("done")
    expect(questions.map(({ input }) => input)).toEqual([{ path: "x" }, { path: "y" }])
    expect(toldIn(asked[1]!.prompt)).toMatchObject({
      a: { type: "text", value: "wrote x" },
      b: { type: "execution-denied", reason: "Not this file" },
      c: { type: "content" },
    })
    expect(Object.keys(toldIn(asked.at(-1)!.prompt)).sort()).toEqual(["a", "b", "c", "d", "e"])
    expect(log).toEqual(["preview a.ts", "apply a.ts", "close a.ts"])
  })

  it("does not ask about what a rule has denied", async () => {
    const write = pipeline().awaitApproval()
    const filters = ToolFilters.compile({ write: { deny: [".*"] } })
    const { model } = versions[1]!.scripted([[{ id: "a", name: "write" }], "done"])
    const asks: Array<Question> = []
    const answer = await aiSdk(model, executorOf({ write }, { filters }), "Write", async (question) => {
      asks.push(question)
      return { approved: true }
    })
    expect([answer, asks]).toEqual(["done", []])
  })
})
