/** Mistakes of plain JavaScript that TypeScript would refuse: each is told at once, and not taken for something else. */
import { jsonSchema } from "ai"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import {
  type AwaitingApprovalEvent,
  defineTool,
  handler,
  pipeline,
  Step,
  ToolExecutor,
  ToolPipeline,
  ToolRegistry,
} from "../../src/index.ts"
import { ScriptedHost } from "../../src/testing.ts"
import { executorOf, toolOf } from "../support/executor-of.ts"
import { heldTool } from "../support/held-tool.ts"

const note = pipeline().andThen(() => Step.Output("noted"))
const gated = pipeline()
  .awaitApproval()
  .andThen(({ call }) => Step.Output(JSON.stringify(call.params)))

const define = (options: object) => () =>
  defineTool({
    name: "t",
    description: "",
    parameters: { type: "object" },
    compose: () => note,
    ...options,
  } as never)

class OldZod {
  readonly _def = {}
  readonly spa = () => undefined
}

class OtherSchema {
  readonly type = "object"
}

const propertiesAlone =
  'Expected `parameters` of tool `t` to be the schema of an object, got its properties alone. Put them into one, such as `z.object({ … })` or `{ type: "object", properties: { … } }`'

describe("defineTool refuses", () => {
  it.each([
    [
      "a label that is a number",
      { label: 5 },
      "Expected `label` of tool `t` to be a string, got `5` (number)",
    ],
    [
      "a `background` that is a text",
      { background: "no" },
      "Expected `background` of tool `t` to be true or false, got `no` (string)",
    ],
    [
      "a `hidden` that is a number",
      { hidden: 1 },
      "Expected `hidden` of tool `t` to be true or false, got `1` (number)",
    ],
    [
      "annotations that are a text",
      { annotations: "readOnly" },
      "Expected `annotations` of tool `t` to be an object, got `readOnly` (string)",
    ],
    [
      "annotations with MCP's names",
      { annotations: { readOnlyHint: true } },
      "Expected `annotations` of tool `t` to have readOnly, destructive, idempotent, openWorld, got `readOnlyHint`: write it without `Hint`",
    ],
    [
      "an annotation that is a text",
      { annotations: { readOnly: "no" } },
      "Expected `annotations.readOnly` of tool `t` to be true or false, got `no` (string)",
    ],
    [
      "a `prepareParams` that is an object",
      { prepareParams: {} },
      "Expected `prepareParams` of tool `t` to be a function, got `[object Object]` (object)",
    ],
    [
      "a `renderCall` that is a text",
      { renderCall: "x" },
      "Expected `renderCall` of tool `t` to be a function, got `x` (string)",
    ],
    [
      "an async `compose`",
      { compose: async () => note },
      "Expected `compose` of tool `t` to be a plain function that returns a pipeline, got an async function. Do what takes time in a handler of the pipeline",
    ],
    [
      "a schema of zod before 4.2",
      { parameters: new OldZod() },
      "Expected `parameters` of tool `t` to be a JSON Schema, or to give one, got a schema of an older zod. Update zod to 4.2 or newer",
    ],
    [
      "an instance of another library's class",
      { outputSchema: new OtherSchema() },
      "Expected `outputSchema` of tool `t` to be a JSON Schema, or to give one, got an instance of a class. Update its library to a version with Standard JSON Schema, or pass a JSON Schema",
    ],
    [
      "a schema of the AI SDK",
      { parameters: jsonSchema({ type: "object" }) },
      "Expected `parameters` of tool `t` to be a JSON Schema, got what wraps one in `jsonSchema`. Pass that itself",
    ],
    ["properties of zod alone", { parameters: { path: z.string() } }, propertiesAlone],
    ["properties of a JSON Schema alone", { parameters: { path: { type: "string" } } }, propertiesAlone],
  ] as Array<[string, object, string]>)("%s", (_name, options, message) => {
    expect(define(options)).toThrow(new TypeError(message))
  })

  it("no annotation that says nothing to it", () => {
    expect(define({ annotations: { title: "T", readOnly: true } })).not.toThrow()
  })

  it("no null for a function that is left out", async () => {
    const none = { paths: null, title: null, prepareParams: null, renderCall: null, renderResult: null }
    const tool = define(none)()
    expect(tool.title({})).toBe("t")
    await using executor = new ToolExecutor(new ToolRegistry([tool]))
    expect(await executor.run({ name: "t" })).toMatchObject({ status: "complete", content: "noted" })
  })

  it("no schema that says less than it may", () => {
    for (const parameters of [{}, { not: { type: "array" } }, { description: "x" }, Object.create(null)])
      expect(define({ parameters })).not.toThrow()
  })
})

describe("a pipeline refuses", () => {
  it("a gate that says something else than options", () => {
    expect(() => pipeline().awaitApproval("Sure?" as never)).toThrow(
      "Expected the options of `awaitApproval` to be an object, got `Sure?` (string)",
    )
    expect(() => pipeline().awaitApproval({ person: "yes" as never })).toThrow(
      "Expected `person` of `awaitApproval` to be true or false, got `yes` (string)",
    )
  })

  it("an option of a gate or a preview that there is not", () => {
    expect(() => pipeline().awaitApproval({ label: "Pay", persn: true } as never)).toThrow(
      "`awaitApproval` has no option `persn`. Did you mean `person`?",
    )
    expect(() => Step.AwaitApproval({ Person: true } as never)).toThrow(
      "`Step.AwaitApproval` has no option `Person`. Did you mean `person`?",
    )
    expect(() => pipeline().awaitResolve({ label: "Pay", onDiscrd: () => Step.Continue } as never)).toThrow(
      "`awaitResolve` has no option `onDiscrd`. Did you mean `onDiscard`?",
    )
  })

  it("a Step in place of a handler", () => {
    expect(() => pipeline().andThen(Step.Output("x") as never)).toThrow(
      "Expected an effect handler or a function of the handler's context, got `[object Object]` (object). Write a function that returns the Step",
    )
  })

  it("a handler without a name, or that is run again in a way that there is none", () => {
    expect(() => handler((() => Step.Continue) as never, undefined as never)).toThrow(
      "Expected `handler` to be given a name and a function, got `undefined` (undefined)",
    )
    expect(() => handler("pay", () => Step.Continue, { retry: false as never })).toThrow(
      "Expected `retry` of handler `pay` to be never, or left out, got `false` (boolean)",
    )
  })
})

describe("a call tells", () => {
  it.each([
    [
      "a handler that is a generator which is not async",
      function* steps() {
        yield Step.Output("x")
      },
      "Handler `steps` gave a generator that is not async, not a Step; yield from an `async function*`, or return one Step",
    ],
    [
      "a handler that gives a function",
      function late() {
        return () => Step.Continue
      },
      "Handler `late` gave function, not a Step; call it, and return what it gives",
    ],
  ])("of %s", async (_name, call, message) => {
    const executor = executorOf({ t: pipeline().andThen(call as never) })
    expect(await executor.run({ name: "t" })).toMatchObject({ status: "error", content: message })
  })

  it("of a promise that `compose` gave, and leaves that alone", async () => {
    const executor = executorOf({ t: toolOf("t", () => Promise.reject(new Error("late")) as never) })
    expect((await executor.run({ name: "t" })).content).toBe(
      'Tool "t" composed no pipeline, but a promise of one. Make `compose` a plain function, and do what takes time in a handler',
    )
  })
})

describe("an executor refuses", () => {
  const { signal } = new AbortController()
  const expected = (method: string, keys = "signal") =>
    new TypeError(
      `Expected the options of \`${method}\` to be an object with ${keys}, got \`[object AbortSignal]\` (object)`,
    )

  it("a signal in place of options, before anything runs", async () => {
    const executor = executorOf({ note })
    const call = { name: "note" }
    const agent = executor.agent("main")
    expect(() => executor.run(call, undefined, signal as never)).toThrow(expected("run"))
    await expect(executor.runEvents(call, signal as never).next()).rejects.toThrow(expected("runEvents"))
    expect(() => executor.next(signal as never)).toThrow(expected("next"))
    await expect(agent.runTurn([call], undefined, signal as never)).rejects.toThrow(
      expected("runTurn", "signal, truncated"),
    )
    expect(() => agent.beginTurn().run(call, undefined, signal as never)).toThrow(expected("run"))
    expect(() => agent.resolve({ action: "apply", reason: "" }, signal as never)).toThrow(
      expected("resolve", "signal, onEvent, by"),
    )
    expect(() => executor.tasks.wait("t", signal as never)).toThrow(expected("wait"))
    expect(() => executor.next({ signal: 5 as never })).toThrow(
      "Expected `signal` to be an AbortSignal, got `5` (number)",
    )
    expect(executor.inspect()).toEqual([])
  })

  it("options that hold a signal or a listener under another name, and lets pass what says nothing to it", async () => {
    const executor = executorOf({ note })
    const call = { name: "note" }
    const agent = executor.agent("main")
    const other = { abortSignal: signal } as never
    const given = (method: string, keys = "signal") =>
      `Expected the options of \`${method}\` to be an object with ${keys}, got \`{ abortSignal }\``
    expect(() => executor.run(call, undefined, other)).toThrow(given("run"))
    expect(() => executor.next(other)).toThrow(given("next"))
    expect(() => executor.tasks.wait("t", other)).toThrow(given("wait"))
    expect(() =>
      agent.resolve({ action: "apply", reason: "" }, { onevent: () => undefined } as never),
    ).toThrow("got `{ onevent }`")
    const unknown = { timeout: 5000 } as never
    expect(await executor.run(call, undefined, unknown)).toMatchObject({ content: "noted" })
    expect(await agent.runTurn([call], undefined, unknown)).toMatchObject([{ content: "noted" }])
    const events = executor.runEvents(call, unknown)
    expect(await events.next()).toMatchObject({ value: { _tag: "Started" } })
    await events.return(undefined as never)
    expect(await executor.tasks.wait("t", unknown)).toBeUndefined()
    expect(await executor.next(unknown)).toBeUndefined()
    expect(await agent.resolve({ action: "apply", reason: "" }, unknown)).toMatchObject({ status: "error" })
  })

  it("what it would take for a cancel of every agent", async () => {
    const held = heldTool()
    const executor = executorOf({ held: held.plan })
    executor.enqueue([{ name: "held", agentId: "other" }])
    const keys = "Expected the options of `cancel` to be an object with"
    expect(() => executor.cancel("main" as never)).toThrow(`${keys} agentId, reason, got \`main\` (string)`)
    expect(() => executor.cancel({ agent: "main" } as never)).toThrow(
      `${keys} agentId, reason, got \`{ agent }\``,
    )
    expect(() => executor.cancel({ agentId: "main", callId: "c" } as never)).toThrow(
      "`cancel` ends the calls of agents. To end one call, use `cancelCall(callId)`",
    )
    expect(() => executor.cancel({ agentId: 5 as never })).toThrow(
      "Expected `agentId` to be a string, got `5` (number)",
    )
    expect(() => executor.cancelForeground(["main"] as never)).toThrow("got `{ 0 }`")
    expect(() => executor.agent("main").cancel("Stop" as never)).toThrow(
      `${keys} reason, got \`Stop\` (string)`,
    )
    expect(executor.inspect()).toHaveLength(1)
    expect(executor.cancel({})).toBe(1)
  })

  it("a whole event or task in place of its id", () => {
    const executor = executorOf({ note })
    const event = { callId: "c" } as never
    const id = "Expected a call's id, a string, got `[object Object]` (object)"
    for (const method of ["approve", "deny", "cancelCall", "toBackground", "inspectCall"] as const)
      expect(() => executor[method](event)).toThrow(id)
    for (const method of ["get", "take", "wait", "cancel"] as const)
      expect(() => executor.tasks[method](event)).toThrow(
        "Expected a task's id, a string, got `[object Object]` (object)",
      )
    expect(() => executor.tasks.list({ agentId: "a" } as never)).toThrow("Expected `agentId` to be a string")
    expect(() => executor.agent({ agentId: "a" } as never)).toThrow("Expected `agentId` to be a string")
    expect(executor.approve("unknown")).toBe(false)
  })

  it("parameters in place of the options that hold them, and leaves the gate open", async () => {
    const executor = executorOf({ gated })
    executor.enqueue([{ name: "gated", callId: "c", params: { command: "rm" } }])
    const host = new ScriptedHost(executor)
    const asked = await host.until(
      (event): event is AwaitingApprovalEvent => event._tag === "AwaitingApproval",
    )
    expect(() => asked.approve({ command: "ls" } as never)).toThrow(
      "Expected the options of `approve` to be an object with params, reason, remember, by, got `{ command }`",
    )
    asked.approve({ params: { command: "ls" } })
    await host.run()
    expect(host.terminal("c")).toMatchObject({ _tag: "Completed", content: '{"command":"ls"}' })
  })

  it("a function as a watcher, and a module as a registry", async () => {
    expect(() => executorOf({ note }).watch((() => undefined) as never)).toThrow(
      "Expected the options of `watch` to be an object with queued, limited, event, decided, forgotten, left, tracer",
    )
    const module = (await import("../../src/testing.ts")) as never
    expect(() => new ToolExecutor(module)).toThrow("Expected a ToolRegistry, got `[object Module]` (object)")
    expect(() => new ToolRegistry([module])).toThrow(
      "Expected a tool made by `defineTool`, got `[object Module]`",
    )
  })
})

describe("a pipeline", () => {
  it("is empty where its class is used without the function", async () => {
    const made = new (ToolPipeline as unknown as new () => ToolPipeline)()
    expect(made.isEmpty).toBe(true)
    const executor = executorOf({ t: made.andThen(() => Step.Output("made")) })
    expect(await executor.run({ name: "t" })).toMatchObject({ content: "made" })
  })

  it("takes null for an `onDiscard` that is left out", async () => {
    const executor = executorOf({ t: note.awaitResolve({ label: "Rename", onDiscard: null as never }) })
    await executor.run({ name: "t" })
    expect(await executor.agent().resolve({ action: "discard", reason: "no" })).toMatchObject({
      content: "Discarded: Rename. Reason: no",
    })
  })
})

describe("a ScriptedHost", () => {
  it("waits for the answers of async functions", async () => {
    const executor = executorOf({ gated, t: pipeline().andThen(() => Step.Delegate({ _tag: "Ask" })) })
    const host = new ScriptedHost(executor, {
      gate: async () => "deny" as const,
      effect: async () => "answered",
    })
    await host.run([
      { name: "gated", callId: "g" },
      { name: "t", callId: "t" },
    ])
    expect(host.terminal("g")).toMatchObject({ _tag: "Denied" })
    expect(host.terminal("t")).toMatchObject({ _tag: "Completed", content: "answered" })
  })

  it("fails with what an async function fails with", async () => {
    const executor = executorOf({ gated })
    const host = new ScriptedHost(executor, { gate: () => Promise.reject(new Error("no answer")) })
    await expect(host.run([{ name: "gated" }])).rejects.toThrow("no answer")
  })
})

describe("a ScriptedHost refuses", () => {
  it.each([
    [
      "a gate's answer that there is not",
      { gate: "aprove" },
      "Expected `gate` to be approve, deny, ignore, an answer or a function, got `aprove` (string)",
    ],
    ["an effect that is a text", { effect: "ok" }, "Expected `effect` to be a function, got `ok` (string)"],
    [
      "another script",
      { gates: "deny" },
      "Expected the options of `ScriptedHost` to be an object with gate, effect, onEvent, got `{ gates }`",
    ],
  ])("%s", (_name, script, message) => {
    expect(() => new ScriptedHost(executorOf({ note }), script as never)).toThrow(new TypeError(message))
  })

  it("an answer to a gate that is none", async () => {
    const executor = executorOf({ tool: pipeline().awaitApproval() })
    const host = new ScriptedHost(executor, { gate: () => undefined as never })
    await expect(host.run([{ name: "tool" }])).rejects.toThrow(
      "Expected `gate` to give approve, deny, ignore or an answer, got `undefined` (undefined)",
    )
    await executor.shutdown()
  })
})
