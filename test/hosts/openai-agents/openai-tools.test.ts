import * as sdk from "@openai/agents"
import { describe, expect, it } from "vitest"
import {
  type AgentLoopOptions,
  type LoopQuestion,
  openaiTools,
  openQuestions,
} from "../../../src/hosts/openai-agents/index.ts"
import {
  type HandlerContext,
  pipeline,
  Step,
  type ToolEvent,
  ToolFilters,
  type ToolPipeline,
} from "../../../src/index.ts"
import { editTool } from "../../resolve/edit-tool.ts"
import { until } from "../../support/deferred.ts"
import { executorOf } from "../../support/executor-of.ts"
import { gatedTool } from "../../support/gated-tool.ts"
import { heldTool } from "../../support/held-tool.ts"
import { offeredIn, scripted, toldIn } from "./scripted-model.ts"

const hostOf = (executor: ReturnType<typeof executorOf>, options?: AgentLoopOptions) =>
  new sdk.Agent({ name: "Host", tools: openaiTools(sdk, executor, options) })

const text = (value: string) => ({ type: "text", text: value })

describe("OpenAI Agents: calls", () => {
  it("are run, and the model is told their results", async () => {
    const executor = executorOf({
      greet: ({ whom }) => pipeline().andThen(() => Step.Output(`hello ${whom}`)),
      fail: pipeline().andThen(() => Step.Error("The disk is full")),
    })
    const { runner, asked } = scripted([
      [
        { id: "a", name: "greet", params: { whom: "you" } },
        { id: "b", name: "fail" },
      ],
      "done",
    ])
    const result = await runner.run(hostOf(executor), "Greet")
    expect(result.finalOutput).toBe("done")
    expect(offeredIn(asked[0])).toEqual(["greet", "fail"])
    expect(toldIn(asked[1])).toEqual({ a: text("hello you"), b: text("The disk is full") })
  })

  it("in whose middle an answer was cut are not run, and the model is told so", async () => {
    const { plan, log } = editTool()
    const { runner, asked } = scripted([[{ id: "a", name: "edit", status: "incomplete" }], "done"])
    await runner.run(hostOf(executorOf({ edit: plan })), "Edit")
    expect(toldIn(asked[1])).toMatchObject({
      a: text(expect.stringContaining("cut at its token limit") as never),
    })
    expect(log).toEqual([])
  })

  it("of one turn run in their lane in the model's order, and stream to `onEvent`", async () => {
    const seen: Array<string> = []
    const plan = pipeline().andThen(async ({ call, delta }: HandlerContext) => {
      await delta(`${call.callId};`)
      return Step.Output(call.callId)
    })
    const agent = hostOf(executorOf({ note: plan }), {
      onEvent: (event) => {
        if (event._tag === "Delta") seen.push(event.content)
      },
    })
    const calls = ["a", "b", "c"].map((id) => ({ id, name: "note" }))
    const { runner, asked } = scripted([calls, "done"])
    await runner.run(agent, "Note")
    expect(seen).toEqual(["a;", "b;", "c;"])
    expect(toldIn(asked[1])).toEqual({ a: text("a"), b: text("b"), c: text("c") })
  })

  it("that share one signal end with it, and those that wait never start", async () => {
    const held = heldTool()
    const events: Array<ToolEvent["_tag"]> = []
    const executor = executorOf({ held: held.plan })
    const agent = hostOf(executor, { onEvent: (event) => events.push(event._tag) })
    const calls = Array.from({ length: 20 }, (_, i) => ({ id: `c${i}`, name: "held" }))
    const { runner } = scripted([calls, "done"])
    const controller = new AbortController()
    const run = runner.run(agent, "Go", { signal: controller.signal })
    await until(() => executor.inspect().length === 20)
    controller.abort()
    await expect(run).rejects.toThrow()
    await until(() => executor.inspect().length === 0)
    expect(events.filter((tag) => tag === "Started")).toHaveLength(1)
    expect(events.filter((tag) => tag === "Cancelled")).toHaveLength(20)
  })

  it("that show images show them to the model", async () => {
    const data = "iVBORw0KGgo="
    const image = { type: "image" as const, data, mimeType: "image/png" }
    const content = [{ type: "text" as const, text: "a dot" }, image]
    const { runner, asked } = scripted([[{ id: "a", name: "draw" }], "done"])
    const draw = pipeline().andThen(() => Step.Output({ content }))
    await runner.run(hostOf(executorOf({ draw })), "Draw")
    expect(toldIn(asked[1]).a).toMatchObject([
      { type: "input_text", text: "a dot" },
      { type: "input_image", image: `data:image/png;base64,${data}` },
    ])
  })
})

describe("OpenAI Agents: approvals", () => {
  it("are approved by the person whom the application names, at a gate of people with names", async () => {
    const write = pipeline()
      .awaitApproval({ approvers: (by) => by === "ann" })
      .andThen(({ decidedBy }) => Step.Output(`written for ${decidedBy?.id}`))
    const by = (_call: unknown, context: unknown) => (context as { readonly user?: string })?.user
    const { runner, asked } = scripted([[{ id: "a", name: "write" }], "done"])
    const agent = hostOf(executorOf({ write }), { by })
    const first = await runner.run(agent, "Write", { context: { user: "ann" } })
    first.state.approve(first.interruptions[0]!)
    await runner.run(agent, first.state)
    expect(toldIn(asked.at(-1))).toMatchObject({ a: text("written for ann") })
  })

  it("are asked before a call that has a gate, which runs once it is approved", async () => {
    const { plan, log } = gatedTool()
    const { runner, asked } = scripted([[{ id: "a", name: "write" }], "done"])
    const agent = hostOf(executorOf({ write: plan }))
    const first = await runner.run(agent, "Write")
    expect(log).toEqual([])
    first.state.approve(first.interruptions[0]!)
    await runner.run(agent, first.state)
    expect(log).toEqual(["before", "after", "closed"])
    expect(toldIn(asked[1])).toEqual({ a: text("after") })
  })

  it("are not asked of a call that a rule allows; one that a rule denies is told so", async () => {
    const open = gatedTool()
    const shut = gatedTool()
    const filters = ToolFilters.compile({ open: { allow: [".*"] }, shut: { deny: [".*"] } })
    const { runner, asked } = scripted([
      [
        { id: "a", name: "open" },
        { id: "b", name: "shut" },
      ],
      "done",
    ])
    const agent = hostOf(executorOf({ open: open.plan, shut: shut.plan }, { filters }))
    const result = await runner.run(agent, "Go")
    expect(result.interruptions).toEqual([])
    expect([open.log, shut.log]).toEqual([["before", "after", "closed"], []])
    expect(toldIn(asked[1])).toEqual({
      a: text("after"),
      b: text(expect.stringMatching(/^Denied by policy/)),
    })
  })

  it("are not asked of a person where the arguments are not JSON", async () => {
    const { plan, log } = gatedTool()
    const calls = [
      { id: "a", name: "write", arguments: '{"text": "cut' },
      { id: "b", name: "write" },
    ]
    const { runner, asked } = scripted([calls, "done"])
    const agent = hostOf(executorOf({ write: plan }))
    const first = await runner.run(agent, "Write")
    const questions = openQuestions(first)
    expect(questions.map(({ arguments: text }) => text)).toEqual(["{}"])
    first.state.approve(questions[0]!)
    await runner.run(agent, first.state)
    expect(log).toEqual(["before", "after", "closed"])
    expect(toldIn(asked[1])).toEqual({
      a: text("An error occurred while parsing tool arguments. Please try again with valid JSON."),
      b: text("after"),
    })
  })

  it("that are refused tell the model why", async () => {
    const { plan, log } = gatedTool()
    const { runner, asked } = scripted([[{ id: "a", name: "write" }], "done"])
    const agent = hostOf(executorOf({ write: plan }))
    const first = await runner.run(agent, "Write")
    first.state.reject(first.interruptions[0]!, { message: "Not today" })
    await runner.run(agent, first.state)
    expect(log).toEqual([])
    expect(toldIn(asked[1])).toEqual({ a: text("Not today") })
  })

  it("pass the gate that they were asked for, a person's too, and each other one is asked of `onQuestion`", async () => {
    const gates: ReadonlyArray<readonly [plan: ToolPipeline, others: ReadonlyArray<string>]> = [
      [pipeline().awaitApproval({ person: true }), []],
      [pipeline().awaitApproval().awaitApproval({ label: "second", person: true }), ["second"]],
      [
        pipeline()
          .awaitApproval()
          .andThen(() => Step.AwaitApproval({ label: "own" })),
        ["own"],
      ],
    ]
    for (const [plan, others] of gates) {
      for (const answers of [true, false]) {
        const labels: Array<string | undefined> = []
        const onQuestion = (question: LoopQuestion) => {
          if (question._tag !== "AwaitingApproval") return
          labels.push(question.label)
          question.approve()
        }
        const { runner, asked } = scripted([[{ id: "a", name: "write" }], "done"])
        const executor = executorOf({ write: plan.andThen(() => Step.Output("wrote")) })
        const agent = hostOf(executor, answers ? { onQuestion } : {})
        const first = await runner.run(agent, "Write")
        first.state.approve(first.interruptions[0]!)
        await runner.run(agent, first.state)
        expect(labels).toEqual(answers ? others : [])
        const isThrough = answers || others.length === 0
        const denied =
          /^The approval before this call was for its first gate, and this is another one\. Nobody answers/
        expect(toldIn(asked[1])).toEqual({ a: text(isThrough ? "wrote" : expect.stringMatching(denied)) })
      }
    }
  })

  it("given for good do not pass a person's gate of a later call", async () => {
    const plan = pipeline()
      .awaitApproval({ person: true })
      .andThen(() => Step.Output("wrote"))
    const { runner, asked } = scripted([[{ id: "a", name: "write" }], [{ id: "b", name: "write" }], "done"])
    const agent = hostOf(executorOf({ write: plan }))
    const first = await runner.run(agent, "Write")
    first.state.approve(first.interruptions[0]!, { alwaysApprove: true })
    await runner.run(agent, first.state)
    expect(toldIn(asked[2])).toEqual({
      a: text("wrote"),
      b: text(
        expect.stringMatching(
          /^Nobody answers questions here, and only a person passes this gate: give the host an `onQuestion`/,
        ),
      ),
    })
  })

  it("in a state that is resumed twice run their call once", async () => {
    const { plan, log } = gatedTool()
    const { runner } = scripted([[{ id: "a", name: "write" }]])
    const executor = executorOf({ write: plan })
    const agent = hostOf(executor)
    const first = await runner.run(agent, "Write").then(({ state }) => state)
    first.approve(first.getInterruptions()[0]!)
    const saved = first.toString()
    const resume = async () => {
      const again = scripted(["done"])
      const own = hostOf(executor)
      const state = await sdk.RunState.fromString(own, saved)
      await again.runner.run(own, state)
      return toldIn(again.asked[0])
    }
    const once = { a: text("after") }
    expect(await Promise.all([resume(), resume()])).toEqual([once, once])
    expect(await resume()).toEqual(once)
    expect(log).toEqual(["before", "after", "closed"])
  })

  it("at the gate show the preview; an edit is told to the model, and so is a denial", async () => {
    const ran: Array<unknown> = []
    const write = (params: Record<string, unknown>) =>
      pipeline()
        .awaitApproval()
        .andThen(() => {
          ran.push(params.path)
          return Step.Output(`wrote ${params.path}`)
        })
    const { runner, asked } = scripted([
      [
        { id: "a", name: "write", params: { path: "x" } },
        { id: "b", name: "write", params: { path: "z" } },
      ],
      "done",
    ])
    const agent = hostOf(executorOf({ write }), {
      approval: "during",
      onQuestion: (question) => {
        if (question._tag !== "AwaitingApproval") return
        if (question.callId === "a") question.approve({ params: { path: "y" } })
        else question.deny("Not this file")
      },
    })
    await runner.run(agent, "Write")
    expect(ran).toEqual(["y"])
    expect(toldIn(asked[1])).toEqual({
      a: text('wrote y\nThe user changed the parameters of this call. It ran with: {"path":"y"}'),
      b: text(expect.stringMatching(/^Not this file/)),
    })
  })
})

describe("OpenAI Agents: tools", () => {
  const note = pipeline().andThen(() => Step.Output("noted"))

  it("offer `resolve` while a preview waits, and nothing else once it is forced", async () => {
    const { plan, log } = editTool()
    const { runner, asked } = scripted([
      [{ id: "a", name: "edit" }],
      [{ id: "b", name: "note" }],
      [{ id: "r", name: "resolve", params: { action: "apply", reason: "good" } }],
      "done",
    ])
    await runner.run(hostOf(executorOf({ edit: plan, note })), "Edit")
    expect(asked.map(offeredIn)).toEqual([
      ["edit", "note"],
      ["edit", "note", "resolve"],
      ["resolve"],
      ["edit", "note"],
    ])
    expect(toldIn(asked[3])).toMatchObject({
      b: text(expect.stringContaining("was not executed")),
      r: text("changed a.ts"),
    })
    expect(log).toEqual(["preview a.ts", "apply a.ts", "close a.ts"])
  })

  it("have their own names with the executor, whatever the SDK makes of them", async () => {
    const { runner, asked } = scripted([[{ id: "a", name: "take_note" }], "done"])
    await runner.run(hostOf(executorOf({ "take-note": note })), "Note")
    expect(toldIn(asked[1])).toEqual({ a: text("noted") })
  })

  it("of names that are one to the SDK are refused", () => {
    expect(() => openaiTools(sdk, executorOf({ "take-note": note, take_note: note }))).toThrow(
      'The tools "take-note" and "take_note" are both "take_note" to OpenAI Agents: rename one',
    )
  })
})
