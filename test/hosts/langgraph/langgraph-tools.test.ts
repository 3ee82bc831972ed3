// @module-tag waits
import { HumanMessage } from "@langchain/core/messages"
import { Command, END, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph"
import { ToolNode } from "@langchain/langgraph/prebuilt"
import * as langchain from "langchain"
import { describe, expect, it } from "vitest"
import {
  type LangGraphOptions,
  type LoopQuestion,
  langGraphTools,
} from "../../../src/hosts/langgraph/index.ts"
import { type HandlerContext, pipeline, Step, type ToolExecutor, ToolFilters } from "../../../src/index.ts"
import { editTool } from "../../resolve/edit-tool.ts"
import { until } from "../../support/deferred.ts"
import { executorOf, toolOf } from "../../support/executor-of.ts"
import { gatedTool } from "../../support/gated-tool.ts"
import { heldTool } from "../../support/held-tool.ts"
import { ScriptedModel, type ScriptedTurn, toldIn } from "./scripted-model.ts"

const thread = (thread_id: string) => ({ configurable: { thread_id } })

const graphOf = (
  executor: ToolExecutor,
  turns: ReadonlyArray<ScriptedTurn>,
  {
    checkpointer = new MemorySaver(),
    isCut = false,
    ...options
  }: LangGraphOptions & { checkpointer?: MemorySaver; isCut?: boolean } = {},
) => {
  const model = new ScriptedModel(turns, { isCut })
  const graph = langchain.createAgent({
    model,
    tools: langGraphTools(langchain, executor, options),
    checkpointer,
  })
  return { graph, model, checkpointer }
}

/** A tool, whatever its schema. */
interface Invokable {
  invoke(call: object, config: object): Promise<unknown>
}

const start = { messages: [new HumanMessage("Go on")] }

/** Typed as one of any graph. */
const resume = (...decisions: ReadonlyArray<object>) =>
  new Command({ resume: { decisions } }) as Command<unknown, Record<string, never>, never>

const approve = { type: "approve" }

const interruptsOf = (state: object): ReadonlyArray<{ readonly id: string; readonly value: unknown }> =>
  (state as { __interrupt__?: Array<{ id: string; value: unknown }> }).__interrupt__ ?? []

describe("LangGraph: calls", () => {
  it("are run, and the model is told their results", async () => {
    const executor = executorOf({
      greet: ({ whom }) => pipeline().andThen(() => Step.Output(`hello ${whom}`)),
      fail: pipeline().andThen(() => Step.Error("The disk is full")),
    })
    const calls = [
      { id: "a", name: "greet", params: { whom: "you" } },
      { id: "b", name: "fail" },
    ]
    const { graph } = graphOf(executor, [calls, "done"])
    const { messages } = await graph.invoke(start, thread("t"))
    expect(messages.at(-1)?.content).toBe("done")
    expect(toldIn(messages)).toMatchObject({
      a: { content: "hello you", status: "success", artifact: { status: "complete" } },
      b: { content: "The disk is full", status: "error", artifact: { status: "error", reason: "failed" } },
    })
  })

  it("with parameters that do not fit are not run, nobody is asked, and the model reads what is wrong", async () => {
    const { plan, log } = gatedTool()
    const parameters = { type: "object", properties: { n: { type: "number" } } } as const
    const executor = executorOf({ gated: toolOf("gated", plan, { parameters }) })
    const { graph, model } = graphOf(executor, [[{ id: "a", name: "gated", params: { n: [] } }], "done"])
    const state = await graph.invoke(start, thread("t"))
    expect(JSON.stringify(model.offered)).toContain('"n":{"type":"number"}')
    expect(interruptsOf(state)).toEqual([])
    expect(toldIn(state.messages).a).toMatchObject({
      status: "error",
      content: expect.stringContaining("n: must be number"),
    })
    expect(log).toEqual([])
  })

  it("are approved by the person whom the run names, at a gate of people with names", async () => {
    const write = pipeline()
      .awaitApproval({ approvers: (by) => by === "ann" })
      .andThen(({ decidedBy }) => Step.Output(`written for ${decidedBy?.id}`))
    const by = (_call: unknown, context: unknown) => (context as { readonly user?: string }).user
    const { graph } = graphOf(executorOf({ write }), [[{ id: "a", name: "write" }], "done"], { by })
    const config = { configurable: { thread_id: "t", user: "ann" } }
    await graph.invoke(start, config)
    const { messages } = await graph.invoke(resume(approve), config)
    expect(toldIn(messages).a?.content).toBe("written for ann")
  })

  it("in whose middle an answer was cut are not run, and the model is told so", async () => {
    const { plan, log } = editTool()
    const { graph } = graphOf(executorOf({ edit: plan }), [[{ id: "a", name: "edit" }], "done"], {
      isCut: true,
    })
    const { messages } = await graph.invoke(start, thread("t"))
    expect(toldIn(messages).a?.content).toContain("cut at its token limit")
    expect(log).toEqual([])
  })

  it("stream as custom chunks, and run in their lane in the model's order", async () => {
    const plan = pipeline().andThen(async ({ call, delta }: HandlerContext) => {
      await delta(`${call.callId};`)
      return Step.Output(call.callId)
    })
    const calls = ["a", "b", "c"].map((id) => ({ id, name: "note" }))
    const { graph } = graphOf(executorOf({ note: plan }), [calls, "done"])
    const seen: Array<unknown> = []
    for await (const chunk of await graph.stream(start, { ...thread("t"), streamMode: "custom" }))
      seen.push(chunk)
    expect(seen).toEqual(["a", "b", "c"].map((callId) => ({ callId, name: "note", delta: `${callId};` })))
  })

  it("end with the signal of their run", async () => {
    const held = heldTool()
    const executor = executorOf({ held: held.plan })
    const { graph } = graphOf(executor, [["a", "b"].map((id) => ({ id, name: "held" })), "done"])
    const controller = new AbortController()
    const run = graph.invoke(start, { ...thread("t"), signal: controller.signal })
    await until(() => executor.inspect().length === 2)
    controller.abort()
    await expect(run).rejects.toThrow()
    await until(() => executor.inspect().length === 0)
  })

  it("belong to the agent of their thread, so that two conversations do not wait for each other", async () => {
    const held = heldTool()
    const executor = executorOf({ held: held.plan })
    const { graph } = graphOf(executor, [[{ id: "a", name: "held" }], "done"])
    const other = graphOf(executor, [[{ id: "b", name: "held" }], "done"])
    const runs = [graph.invoke(start, thread("one")), other.graph.invoke(start, thread("two"))]
    await until(() => held.running.length === 2)
    expect(
      executor
        .inspect()
        .map(({ agentId }) => agentId)
        .sort(),
    ).toEqual(["one", "two"])
    held.release("a")
    held.release("b")
    await Promise.all(runs)
  })

  it("that show images show them to the model", async () => {
    const image = { type: "image" as const, data: "iVBORw0KGgo=", mimeType: "image/png" }
    const draw = pipeline().andThen(() =>
      Step.Output({ content: [{ type: "text" as const, text: "a dot" }, image] }),
    )
    const { graph } = graphOf(executorOf({ draw }), [[{ id: "a", name: "draw" }], "done"])
    const { messages } = await graph.invoke(start, thread("t"))
    expect(toldIn(messages).a?.contentBlocks).toEqual([{ type: "text", text: "a dot" }, image])
  })
})

describe("LangGraph: approvals", () => {
  const write = ({ path }: Record<string, unknown>) =>
    pipeline()
      .awaitApproval({ person: true })
      .andThen(() => Step.Output(`wrote ${path}`))
  const call = { id: "a", name: "write", params: { path: "x" } }

  it("interrupt the graph before a call that has a gate, which runs once it is approved", async () => {
    const { graph } = graphOf(executorOf({ write }), [[call], "done"])
    const [interrupt, ...more] = interruptsOf(await graph.invoke(start, thread("t")))
    expect(more).toEqual([])
    expect(interrupt?.value).toEqual({
      actionRequests: [
        { name: "write", args: { path: "x" }, description: "Only a person passes this gate." },
      ],
      reviewConfigs: [
        {
          actionName: "write",
          allowedDecisions: ["approve", "edit", "reject"],
          argsSchema: expect.objectContaining({ type: "object" }),
        },
      ],
    })
    const { messages } = await graph.invoke(resume(approve), thread("t"))
    expect(toldIn(messages).a).toMatchObject({ content: "wrote x", status: "success" })
  })

  it("that are refused tell the model why, and the log that a user refused", async () => {
    const { graph } = graphOf(executorOf({ write }), [[call], "done"])
    await graph.invoke(start, thread("t"))
    const { messages } = await graph.invoke(resume({ type: "reject", message: "Not today" }), thread("t"))
    expect(toldIn(messages).a).toMatchObject({
      content: expect.stringContaining("Not today"),
      artifact: { status: "denied", decidedBy: { kind: "user" } },
    })
  })

  it("can edit the call; the model reads what ran, or what was wrong with the edit", async () => {
    const parameters = {
      type: "object",
      properties: { path: { type: "string" } },
      required: ["path"],
    } as const
    const edited = async (args: object) => {
      const { graph } = graphOf(executorOf({ write: toolOf("write", write, { parameters }) }), [
        [call],
        "done",
      ])
      await graph.invoke(start, thread("t"))
      const edit = { type: "edit", editedAction: { name: "write", args } }
      const { messages } = await graph.invoke(resume(edit), thread("t"))
      return toldIn(messages).a
    }
    expect((await edited({ path: "y" }))?.content).toBe(
      'wrote y\nThe user changed the parameters of this call. It ran with: {"path":"y"}',
    )
    expect(await edited({})).toMatchObject({
      content: expect.stringMatching(/path(.|\n)*Nothing ran with: \{\}$/),
      status: "error",
    })
  })

  it("are not asked of a call that a rule allows; one that a rule denies is told so", async () => {
    const filters = ToolFilters.compile({ open: { allow: [".*"] }, shut: { deny: [".*"] } })
    const [open, shut] = [gatedTool(), gatedTool()]
    const executor = executorOf({ open: open.plan, shut: shut.plan }, { filters })
    const { graph } = graphOf(executor, [["open", "shut"].map((name) => ({ id: name, name })), "done"])
    const state = await graph.invoke(start, thread("t"))
    expect(interruptsOf(state)).toEqual([])
    expect(toldIn(state.messages)).toMatchObject({
      open: { content: "after" },
      shut: { content: expect.stringMatching(/^Denied by policy/) },
    })
  })

  it("that are refused stay so, though a rule that was added meanwhile allows the call", async () => {
    const filters = ToolFilters.compile({})
    const { graph } = graphOf(executorOf({ write: pipeline().awaitApproval() }, { filters }), [
      [call],
      "done",
    ])
    await graph.invoke(start, thread("t"))
    filters.add({ write: { allow: [".*"] } })
    const { messages } = await graph.invoke(resume({ type: "reject", message: "Not now" }), thread("t"))
    expect(toldIn(messages).a).toMatchObject({ content: "Not now", artifact: { status: "denied" } })
  })

  it("that are edited run with what was edited, though a rule that was added meanwhile allows the call", async () => {
    const ran: Array<unknown> = []
    const write = pipeline()
      .awaitApproval()
      .andThen(({ call }) => {
        ran.push(call.params)
        return Step.Output("written")
      })
    const filters = ToolFilters.compile({})
    const { graph } = graphOf(executorOf({ write }, { filters }), [[call], "done"])
    await graph.invoke(start, thread("t"))
    filters.add({ write: { allow: [".*"] } })
    const args = { path: "other" }
    const edited = resume({ type: "edit", editedAction: { name: "write", args } })
    const { messages } = await graph.invoke(edited, thread("t"))
    expect(ran).toEqual([args])
    expect(toldIn(messages).a).toMatchObject({ artifact: { status: "complete", editedParams: args } })
  })

  it("of several calls are answered one by one, and each runs once", async () => {
    const ran: Array<unknown> = []
    const executor = executorOf({
      write: ({ path }) =>
        pipeline()
          .awaitApproval()
          .andThen(() => {
            ran.push(path)
            return Step.Output(`wrote ${path}`)
          }),
      note: ({ path }) =>
        pipeline().andThen(() => {
          ran.push(path)
          return Step.Output(`noted ${path}`)
        }),
    })
    const calls = ["a", "b", "c"].map((id) => ({
      id,
      name: id === "c" ? "note" : "write",
      params: { path: id },
    }))
    const { graph } = graphOf(executor, [calls, "done"])
    const interrupts = interruptsOf(await graph.invoke(start, thread("t")))
    const answers = interrupts.map(({ id, value }) => {
      const { args } = (value as { actionRequests: [{ args: { path: string } }] }).actionRequests[0]
      return [id, { decisions: [args.path === "a" ? approve : { type: "reject" }] }]
    })
    const { messages } = await graph.invoke(new Command({ resume: Object.fromEntries(answers) }), thread("t"))
    expect(toldIn(messages)).toMatchObject({
      a: { content: "wrote a" },
      b: { artifact: { status: "denied" } },
      c: { content: "noted c" },
    })
    expect(ran).toEqual(["c", "a"])
  })

  it("within one node of a graph of your own are asked at once, and each answer reaches its call", async () => {
    const ran: Array<unknown> = []
    const act =
      (gate: boolean) =>
      ({ path }: Record<string, unknown>) =>
        (gate ? pipeline().awaitApproval() : pipeline()).andThen(() => {
          ran.push(path)
          return Step.Output(`did ${path}`)
        })
    // A hook that decides on the first call later than on the second.
    const beforeCall = async ({ callId }: { readonly callId: string }) => {
      if (callId === "a") await new Promise((resolve) => setTimeout(resolve, 20))
      return undefined
    }
    const executor = executorOf({ write: act(true), note: act(false) }, { hooks: { beforeCall } })
    const calls = ["a", "b", "c"].map((id) => ({
      id,
      name: id === "c" ? "note" : "write",
      params: { path: id },
    }))
    const model = new ScriptedModel([calls, "done"])
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("model", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
      .addNode("tools", new ToolNode(langGraphTools(langchain, executor)))
      .addEdge(START, "model")
      .addEdge("tools", "model")
      .addConditionalEdges("model", () => (model.asked.length === 1 ? "tools" : END))
      .compile({ checkpointer: new MemorySaver() })
    const [open, ...more] = interruptsOf(await graph.invoke(start, thread("t")))
    expect(more).toEqual([])
    expect(open?.value).toMatchObject({ actionRequests: [{ args: { path: "a" } }, { args: { path: "b" } }] })
    expect(ran).toEqual([])
    const state = await graph.invoke(resume({ type: "reject" }, approve), thread("t"))
    expect(toldIn(state.messages)).toMatchObject({
      a: { artifact: { status: "denied" } },
      b: { content: "did b" },
      c: { content: "did c" },
    })
    expect(ran).toEqual(["b", "c"])
  })

  it("within a node that calls tools one by one are asked about one of them", async () => {
    const tools = langGraphTools(
      langchain,
      executorOf({ write, note: pipeline().andThen(() => Step.Output("noted")) }),
    )
    const use = (name: string, config: object): Promise<unknown> =>
      (tools.find((tool) => tool.name === name) as unknown as Invokable).invoke(
        { id: name, name, args: {}, type: "tool_call" },
        config,
      )
    const graphOfUses = (names: ReadonlyArray<string>) =>
      new StateGraph(MessagesAnnotation)
        .addNode("use", async (_state, config) => {
          const messages: Array<unknown> = []
          for (const name of names) messages.push(await use(name, config))
          return { messages: messages as [] }
        })
        .addEdge(START, "use")
        .compile({ checkpointer: new MemorySaver() })
    const one = graphOfUses(["note", "write", "note"])
    await one.invoke(start, thread("t"))
    expect(toldIn((await one.invoke(resume(approve), thread("t"))).messages)).toMatchObject({
      note: { content: "noted" },
      write: { content: "wrote undefined" },
    })
    const two = graphOfUses(["write", "write"])
    await two.invoke(start, thread("t"))
    await expect(two.invoke(resume(approve), thread("t"))).rejects.toThrow("can ask only once")
  })

  it("in a checkpoint that is resumed twice run their call once; another process resumes it too", async () => {
    const { plan, log } = gatedTool()
    const script = [[{ id: "a", name: "gated" }], "done"] as const
    const checkpointer = new MemorySaver()
    const executor = executorOf({ gated: plan })
    const first = graphOf(executor, script, { checkpointer })
    await first.graph.invoke(start, thread("t"))
    const { config } = await first.graph.getState(thread("t"))
    // What the process that asked has: nothing of it is needed.
    const second = graphOf(executor, script, { checkpointer })
    const results = [
      await first.graph.invoke(resume(approve), config as never),
      await second.graph.invoke(resume(approve), config as never),
    ]
    for (const { messages } of results) expect(toldIn(messages).a?.content).toBe("after")
    expect(log).toEqual(["before", "after", "closed"])
    const other = gatedTool()
    const elsewhere = graphOf(executorOf({ gated: other.plan }), script, { checkpointer })
    const { messages } = await elsewhere.graph.invoke(resume(approve), config as never)
    expect(toldIn(messages).a?.content).toBe("after")
    expect(other.log).toEqual(["before", "after", "closed"])
  })

  it("at other gates are asked of `onQuestion`; without it they are denied", async () => {
    const twice = pipeline()
      .awaitApproval()
      .awaitApproval({ label: "second" })
      .andThen(() => Step.Output("wrote"))
    for (const answers of [true, false]) {
      const labels: Array<string | undefined> = []
      const onQuestion = (question: LoopQuestion) => {
        if (question._tag !== "AwaitingApproval") return
        labels.push(question.label)
        question.approve()
      }
      const { graph } = graphOf(
        executorOf({ twice }),
        [[{ id: "a", name: "twice" }], "done"],
        answers ? { onQuestion } : {},
      )
      await graph.invoke(start, thread("t"))
      const { messages } = await graph.invoke(resume(approve), thread("t"))
      expect(labels).toEqual(answers ? ["second"] : [])
      expect(toldIn(messages).a?.artifact).toMatchObject({ status: answers ? "complete" : "denied" })
    }
  })

  it("must be a decision", async () => {
    const { graph } = graphOf(executorOf({ write }), [[call], "done"])
    await graph.invoke(start, thread("t"))
    const { messages } = await graph.invoke(new Command({ resume: true }), thread("t"))
    expect(toldIn(messages).a).toMatchObject({
      content: expect.stringContaining(
        "Resume the graph with { decisions: […] } of one decision for each of these calls: write",
      ),
      status: "error",
    })
  })
})

describe("LangGraph: previews", () => {
  it("are resolved by the model, and withhold other calls when they were passed over", async () => {
    const { plan, log } = editTool()
    const note = pipeline().andThen(() => Step.Output("noted"))
    const { graph } = graphOf(executorOf({ edit: plan, note }), [
      [{ id: "a", name: "edit" }],
      [{ id: "b", name: "note" }],
      [{ id: "c", name: "note" }],
      [{ id: "r", name: "resolve", params: { action: "apply", reason: "good" } }],
      "done",
    ])
    const { messages } = await graph.invoke(start, thread("t"))
    expect(toldIn(messages)).toMatchObject({
      a: { content: expect.stringContaining("would change a.ts") },
      c: { content: expect.stringContaining("was not executed") },
      r: { content: "changed a.ts" },
    })
    expect(log).toEqual(["preview a.ts", "apply a.ts", "close a.ts"])
  })

  it("withhold the calls of a later run, too, whose steps have the same numbers without a checkpointer", async () => {
    const executor = executorOf({
      edit: editTool().plan,
      note: pipeline().andThen(() => Step.Output("noted")),
    })
    const tools = langGraphTools(langchain, executor)
    const calling = async (name: string) => {
      const model = new ScriptedModel([[{ id: name, name }], "done"])
      const { messages } = await langchain.createAgent({ model, tools }).invoke(start)
      return toldIn(messages)[name]?.content
    }
    expect(await calling("edit")).toContain("would change a.ts")
    expect(await calling("note")).toContain("was not executed")
  })

  it("do not withhold a call of their own turn that a person approves", async () => {
    const note = pipeline()
      .awaitApproval()
      .andThen(() => Step.Output("noted"))
    const { graph } = graphOf(executorOf({ edit: editTool().plan, note }), [
      ["edit", "note"].map((name) => ({ id: name, name })),
      "done",
    ])
    await graph.invoke(start, thread("t"))
    const { messages } = await graph.invoke(resume(approve), thread("t"))
    expect(toldIn(messages).note?.content).toBe("noted")
  })

  it("with a gate behind them can be approved or rejected, and not edited", async () => {
    const change = pipeline().awaitResolve({ label: "Change" }).awaitApproval()
    const { graph } = graphOf(executorOf({ change }), [
      [{ id: "a", name: "change" }],
      [{ id: "r", name: "resolve", params: { action: "apply", reason: "good" } }],
    ])
    const [interrupt] = interruptsOf(await graph.invoke(start, thread("t")))
    expect(interrupt?.value).toMatchObject({
      reviewConfigs: [{ actionName: "resolve", allowedDecisions: ["approve", "reject"] }],
    })
  })
})
