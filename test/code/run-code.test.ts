// @module-tag waits
import { describe, expect, it, onTestFinished } from "vitest"
import { type RunCodeOptions, runCodeTool } from "../../src/code/index.ts"
import { type AwaitingApprovalEvent, pipeline, Step, type ToolEvent, ToolFilters } from "../../src/index.ts"
import { never } from "../support/deferred.ts"
import { is } from "../support/event-of.ts"
import { executorOf, toolOf } from "../support/executor-of.ts"

const parameters = {
  type: "object",
  properties: {
    path: { type: "string" },
    lines: { type: "array", items: { type: "integer" } },
    "deep-er": { enum: ["a", 1] },
  },
  required: ["path"],
} as const

const read = toolOf("read", ({ path }) => pipeline().andThen(() => Step.Output(`text of ${path}`)), {
  description: "Reads a file. Not a folder.",
  parameters,
})
const list = toolOf("list-files", () =>
  pipeline().andThen(() => Step.Output({ content: [], structured: { files: ["a", "b"] } })),
)
const write = toolOf("write", ({ path }) =>
  pipeline()
    .awaitApproval()
    .andThen(() => Step.Output(`wrote ${path}`)),
)
const broken = toolOf(
  "broken",
  pipeline().andThen(() => Step.Error("no luck")),
)
const stuck = toolOf(
  "stuck",
  pipeline().andThen(() => never<Step>()),
)
const tools = ["read", "list-files", "write", "broken", "stuck"]

const filters = () => ToolFilters.compile({ run_code: { allow: [".*"] } })

const codeIn = (options: Partial<RunCodeOptions> = {}) =>
  executorOf(
    { read, "list-files": list, write, broken, stuck, run_code: runCodeTool({ tools, ...options }) },
    { filters: filters() },
  )

const run = async (
  source: string,
  onEvent: (event: ToolEvent) => unknown = () => undefined,
  options: Partial<RunCodeOptions> = {},
) => {
  const result = await codeIn(options).run({ callId: "c", name: "run_code", params: { source } }, onEvent)
  return { ...result, data: (result.output.structured as { result?: unknown } | undefined)?.result }
}

describe("run_code", () => {
  it("calls tools, whose data or text it has, and gives its result", async () => {
    const events: Array<ToolEvent> = []
    const { status, data } = await run(
      `const { files } = await tools["list-files"]()
       const texts = await Promise.all(files.map((path) => tools.read({ path })))
       return { texts, count: texts.length }`,
      (event) => events.push(event),
    )
    expect([status, data]).toEqual(["complete", { texts: ["text of a", "text of b"], count: 2 }])
    expect(
      events.filter(is("Started")).map(({ callId, parentId, name }) => [callId, parentId, name]),
    ).toEqual([
      ["c", undefined, "run_code"],
      ["c/1", "c", "list-files"],
      ["c/2", "c", "read"],
      ["c/3", "c", "read"],
    ])
  })

  it("has data that is null, and not its text", async () => {
    const { content } = await executorOf(
      {
        find: pipeline().andThen(() => Step.Output({ content: [], structured: null })),
        run_code: runCodeTool({ tools: ["find"] }),
      },
      { filters: filters() },
    ).run({ name: "run_code", params: { source: "return [await tools.find()]" } })
    expect(content).toBe("[null]")
  })

  it("calls tools with the names of its own functions, which take a text", async () => {
    const found = (query: unknown) => pipeline().andThen(() => Step.Output(`found ${query}`))
    const { content } = await executorOf(
      {
        search: toolOf("search", ({ query }) => found(query)),
        describe: toolOf("describe", () => found("all")),
        run_code: runCodeTool({ tools: ["search", "describe"] }),
      },
      { filters: filters() },
    ).run({
      name: "run_code",
      params: {
        source:
          'return [await tools.search({ query: "a" }), await tools.describe(), await tools.search("search")]',
      },
    })
    expect(JSON.parse(content)).toEqual(["found a", "found all", "tools.search({}) // The tool search."])
  })

  it("may have many calls open at once, without a warning of the process", async () => {
    const warnings: Array<Error> = []
    const onWarning = (warning: Error) => warnings.push(warning)
    process.on("warning", onWarning)
    onTestFinished(() => void process.off("warning", onWarning))
    const asked: Array<AwaitingApprovalEvent> = []
    const { data } = await run(
      `return (await Promise.all(Array.from({ length: 20 }, () => tools.write({ path: "a" })))).length`,
      (event) => {
        if (event._tag === "AwaitingApproval" && asked.push(event) === 20)
          for (const each of asked) each.approve()
      },
    )
    await new Promise(setImmediate) // Warnings are emitted in a later turn.
    expect([data, warnings]).toEqual([20, []])
  })

  it("has the whole of a text of which a model would be given a part", async () => {
    const { data } = await run(`return (await tools.read({ path: "x".repeat(100_000) })).length`)
    expect(data).toBe("text of ".length + 100_000)
  })

  it("asks at the gates of what it calls: a denial is thrown, and may be caught", async () => {
    const { data } = await run(
      `const told = []
       for (const path of ["a", "b"]) {
         try { told.push(await tools.write({ path })) }
         catch (error) { told.push([error instanceof ToolDenied, error instanceof ToolFailed, error.name, error.tool, error.message]) }
       }
       try { await tools.broken() } catch (error) { told.push([error instanceof ToolDenied, error.name, error.reason, error.message]) }
       try { await tools.nothing() } catch (error) { told.push(error.message) }
       return told`,
      (event) => {
        if (event._tag !== "AwaitingApproval") return
        if ((event.params as { path: string }).path === "a") event.approve()
        else event.deny("not b")
      },
    )
    expect(data).toEqual([
      "wrote a",
      [true, true, "ToolDenied", "write", "not b"],
      [false, "ToolFailed", "failed", "no luck"],
      expect.stringMatching(/^There is no tool "nothing" for code\. Tools: read, /),
    ])
  })

  it("shows its source and the tools that it names at a gate of its own", async () => {
    const executor = executorOf({ run_code: runCodeTool({ tools: ["read"] }), read })
    let preview: unknown
    const { status } = await executor.run(
      { name: "run_code", params: { source: "return await tools.read({ path: 'a' })" } },
      (event) => {
        if (event._tag !== "AwaitingApproval") return
        preview = event.preview?.content
        event.deny()
      },
    )
    const text = "```js\nreturn await tools.read({ path: 'a' })\n```\nIt names the tools read."
    expect([status, preview]).toEqual(["denied", [{ type: "text", text }]])
  })

  it("refuses a source that cannot be parsed before anybody is asked", async () => {
    const executor = executorOf({ run_code: runCodeTool({ tools: ["read"] }), read })
    const events: Array<string> = []
    const source = "await tools.read({ path: 'a' })\nconst b = ;"
    const { content } = await executor.run({ name: "run_code", params: { source } }, (event) =>
      events.push(event._tag),
    )
    expect(content).toBe(
      "SyntaxError: unexpected token in expression: ';' (line 2, column 11)\nNothing was run. Correct the source, and call run_code again.",
    )
    expect(events).toEqual(["Started", "Error"])
  })

  it("runs nothing of a source that closes what is around it, before anybody is asked", async () => {
    const executor = executorOf({ run_code: runCodeTool({ tools: ["read"] }), read })
    const events: Array<string> = []
    const source = "})(); await null; null.x; (async () => {"
    const { status } = await executor.run({ name: "run_code", params: { source } }, (event) => {
      events.push(event._tag)
      if (event._tag === "AwaitingApproval") event.deny()
    })
    expect([status, events]).toEqual(["denied", ["Started", "AwaitingApproval", "Denied"]])
  })

  it("streams what it logs, and gives it with the result", async () => {
    const deltas: Array<string> = []
    const { content } = await run(
      `console.log("one", { a: 1 }, new Error("x")); await tools.read({ path: "a" }); console.warn("two"); return 1`,
      (event) => event._tag === "Delta" && deltas.push(event.content),
    )
    expect(content).toBe('[log]\none {"a":1} Error: x\ntwo\n[result]\n1')
    expect(deltas.join("")).toBe('one {"a":1} Error: x\ntwo\n')
  })

  it("logs what gives no text as its type", async () => {
    const { content } = await run(
      `class Mute extends Error { toString() { throw new Error("mute") } }
       const mute = { toString() { throw new Error("mute") } }
       mute.self = mute
       console.log(mute, Object.create(null, { self: { get() { throw 1 }, enumerable: true } }), new Mute())
       return 1`,
    )
    expect(content).toBe("[log]\n[object] [object] [object]\n[result]\n1")
  })

  it.each(["console.log", "await $host.log"])(
    "leaves out what is logged past its bound, by %s",
    async (log) => {
      const { data, content } = await run(
        `for (let i = 0; i < 1000; i++) ${log}("0123456789"); return "over"`,
        undefined,
        { limits: { log: 100 } },
      )
      expect(data).toBe("over")
      expect(content.includes("[the rest of the log is left out]")).toBe(log === "console.log")
      expect(content.length).toBeLessThan(250)
    },
  )

  it.each([
    [
      "a mistake of grammar",
      "const a = 1\nconst b = ;",
      "SyntaxError: unexpected token in expression: ';' (line 2, column 11)",
    ],
    [
      "a mistake on its first line",
      "const b = ;",
      "SyntaxError: unexpected token in expression: ';' (line 1, column 11)",
    ],
    [
      "what is left open",
      "const a = 1\nfoo(",
      "SyntaxError: unexpected token in expression: '}' (line 2, at the end)",
    ],
    ["what it throws", "let a\nnull.x", "TypeError: cannot read property 'x' of null (line 2, column 1)"],
    [
      "a call that is not awaited",
      'tools.read({ path: "a" }); return 1',
      "The code ended before a call of it did. Await every call of a tool.",
    ],
    ["a denial that is not caught", "await tools.broken()", "ToolFailed: no luck"],
    [
      "params that are no data",
      "await tools.read(() => 1)",
      'ToolFailed: Validation failed for tool "read":',
    ],
  ])("says where and why it failed: %s", async (_, source, message) => {
    const { status, content } = await run(source)
    expect([status, content.split("\n")[0]]).toEqual(["error", message])
  })

  it("ends with a call that is cancelled, and with its own cancel", async () => {
    const executor = codeIn()
    const source = "try { await tools.stuck() } catch {} return 'gone on'"
    const cancelling = (callId: string) => (event: ToolEvent) => {
      if (event._tag === "Started" && event.name === "stuck")
        setImmediate(() => executor.cancelCall(callId, "enough"))
    }
    const first = await executor.run({ callId: "a", name: "run_code", params: { source } }, cancelling("a/1"))
    expect(first).toMatchObject({
      status: "error",
      content: 'The call of "stuck" was cancelled, and the run with it: enough',
    })
    const second = await executor.run({ callId: "b", name: "run_code", params: { source } }, cancelling("b"))
    expect(second).toMatchObject({ status: "cancelled", content: "enough" })
  })

  it("has limits, each with a sentence", async () => {
    const limited = async (source: string, limits: RunCodeOptions["limits"]) =>
      (await run(source, undefined, { limits: limits! })).content
    expect(await limited("while (true) {}", { time: 300 })).toMatch(
      /^The code computed for 300 ms without calling a tool/,
    )
    expect(await limited("while (true) {}", {})).toBe(
      "The code computed for too long. Look for a loop that does not end, or do the work in several runs.",
    )
    expect(await limited("await new Promise(() => {})", { time: 300 })).toMatch(
      /^The code computed for 300 ms/,
    )
    expect(await limited("for (;;) { try { await tools.broken() } catch {} }", { calls: 5 })).toBe(
      "The code has made 5 calls, the most that one run may make. Do the rest in another run.",
    )
    expect(await limited("return 'x'.repeat(1e9).length", { memory: 8 * 1024 * 1024 })).toMatch(
      /out of memory\. The code needs too much memory/,
    )
    expect(await limited("for (;;) tools.broken().catch(() => {})", { memory: 8 * 1024 * 1024 })).toContain(
      ". The code needs too much memory: keep less at once.",
    )
    expect(
      await limited("return await tools.read({ path: 'x'.repeat(2000) }).catch((e) => e.message)", {
        bytes: 1000,
      }),
    ).toContain("The parameters have more than 1000 bytes. Pass less at once.")
    for (const size of [1000, 3000, 5000])
      expect(await limited(`return 'x'.repeat(${size})`, { bytes: 1000 })).toBe(
        "The result of the run has more than 1000 bytes. Return less at once.",
      )
    expect(await limited(`return '"'.repeat(498)`, { bytes: 1000 })).toBe(JSON.stringify('"'.repeat(498)))
    expect(
      await limited("const a = []; for (;;) a.push(await tools.read({ path: 'x'.repeat(3e4) }))", {
        memory: 2 * 1024 * 1024,
      }),
    ).toContain(". The code needs too much memory: keep less at once.")
    expect(await limited(`return 1`, { memory: 2 ** 40 })).toBe("1")
    expect(await limited(`// ${"x".repeat(500)}`, { source: 100 })).toBe(
      "The source is too long. Split it into several runs.",
    )
  })

  it("does not count the time that a person takes", async () => {
    const { status, data } = await run(
      `return await tools.write({ path: "a" })`,
      (event) => {
        if (event._tag === "AwaitingApproval") setTimeout(() => event.approve(), 1500)
      },
      { limits: { time: 1000 } },
    )
    expect([status, data]).toEqual(["complete", "wrote a"])
  })

  it("has no other power", async () => {
    const { data } = await run(
      `const has = {}
       for (const name of ["process", "require", "fetch", "setTimeout", "Worker", "performance", "crypto", "SharedArrayBuffer"])
         has[name] = typeof globalThis[name]
       try { has.Function = (() => {}).constructor("return 1")() } catch (error) { has.Function = error.message }
       try { await import("fs") } catch (error) { has.import = "refused" }
       try { Object.prototype.polluted = 1 } catch {}
       has.polluted = ({}).polluted
       has.proto = await tools.__proto__().catch((error) => error.name)
       has.made = await tools.constructor().catch((error) => error.name)
       return has`,
    )
    expect(data).toEqual({
      ...Object.fromEntries(
        [
          "process",
          "require",
          "fetch",
          "setTimeout",
          "Worker",
          "performance",
          "crypto",
          "SharedArrayBuffer",
        ].map((name) => [name, "undefined"]),
      ),
      Function: "Function constructor is not allowed",
      import: "refused",
      proto: "ToolFailed",
      made: "ToolFailed",
    })
  })

  it("describes the tools that it may call, and no other", async () => {
    const definition = codeIn({ tools: ({ name }) => name !== "stuck" })
      .agent("main")
      .definitions()
      .find(({ name }) => name === "run_code")
    expect(definition?.description.split("\n\n")[1]?.split("\n")).toEqual([
      'tools.read({ path: string; lines?: number[]; "deep-er"?: "a" | 1 }) // Reads a file.',
      'tools["list-files"]({}) // The tool list-files.',
      "tools.write({}) // The tool write.",
      "tools.broken({}) // The tool broken.",
    ])
    const { data } = await run(`return [await tools.describe("read"), await tools.search("read folder")]`)
    expect(data).toEqual([
      expect.stringContaining("\nReads a file. Not a folder.\n"),
      expect.stringMatching(/^tools\.read\(.*\/\/ Reads a file\.$/),
    ])
  })
})

describe("run_code with a plan", () => {
  const ran: Array<string> = []
  const edit = toolOf("edit", ({ path }) =>
    pipeline()
      .andThen(() => Step.Output(`preview of ${path}`))
      .awaitApproval()
      .andThen(async () => {
        ran.push(`begin ${path}`)
        await new Promise((resolve) => setTimeout(resolve, path === "a" ? 30 : 1))
        ran.push(`end ${path}`)
        return path === "c" ? Step.Error("no luck") : Step.Output(`edited ${path}`)
      }),
  )
  const stage = toolOf("stage", ({ path }) =>
    pipeline()
      .andThen(() => Step.Output(`diff of ${path}`))
      .awaitResolve({ label: "Stage it" })
      .andThen(() => {
        ran.push(`staged ${path}`)
        return Step.Output(`staged ${path}`)
      }),
  )
  const executor = () =>
    executorOf(
      { read, edit, stage, run_code: runCodeTool({ tools: ["read", "edit", "stage", "run_code"] }) },
      { filters: filters() },
    )
  const source = `
    const given = []
    for (const path of ["a", "b", "c", "d"]) given.push(await tools.edit({ path }))
    given.push(await tools.stage({ path: "e" }), await tools.read({ path: "f" }))
    return given`
  const params = { source, plan: true }

  it("asks for all at once when the code has ended, and does what is approved in order", async () => {
    ran.length = 0
    const host = executor()
    const asked: Array<string> = []
    const result = await host.run({ callId: "c", name: "run_code", params }, (event) => {
      if (event._tag !== "AwaitingApproval") return
      asked.push(
        `${event.callId} ${event.label} ${event.preview?.content.map((block) => "text" in block && block.text)}`,
      )
      if (asked.length < 5) return
      expect(ran).toEqual([])
      // Answered from behind: the order is the code's.
      host.answer([
        { callId: "c/6", approve: true },
        { callId: "c/5", approve: true },
        { callId: "c/4", approve: true },
        { callId: "c/3", deny: "not b" },
        { callId: "c/2", approve: true },
      ])
    })
    expect(asked).toEqual([
      "c/2 1 of 5 planned preview of a",
      "c/3 2 of 5 planned preview of b",
      "c/4 3 of 5 planned preview of c",
      "c/5 4 of 5 planned preview of d",
      "c/6 Stage it diff of e",
    ])
    expect(ran).toEqual(["begin a", "end a", "begin c", "end c", "begin d", "end d", "staged e"])
    expect(result.output.structured).toEqual({
      result: [{ planned: 1 }, { planned: 2 }, { planned: 3 }, { planned: 4 }, { planned: 5 }, "text of f"],
      plan: [
        { planned: 1, tool: "edit", status: "applied", message: "edited a" },
        { planned: 2, tool: "edit", status: "denied", message: "not b" },
        { planned: 3, tool: "edit", status: "failed", message: "no luck" },
        { planned: 4, tool: "edit", status: "applied", message: "edited d" },
        { planned: 5, tool: "stage", status: "applied", message: "staged e" },
      ],
    })
    expect(result.content).toMatch(/\n\[plan\]\n1\. edit applied: edited a\n2\. edit denied: not b\n/)
    expect(host.agent("main").pendingActions.hasPending).toBe(false)
  })

  it("collects no call that a rule approves", async () => {
    ran.length = 0
    const filters = ToolFilters.compile({ run_code: { allow: [".*"] }, edit: { allow: ["^a$"] } })
    const code = runCodeTool({ tools: ["edit"] })
    const own = toolOf(
      "edit",
      ({ path }) =>
        pipeline()
          .awaitApproval()
          .andThen(() => Step.Output(`edited ${path}`)),
      { primaryParam: "path" },
    )
    const host = executorOf({ edit: own, run_code: code }, { filters })
    const source = `return [await tools.edit({ path: "b" }), await tools.edit({ path: "a" }), await tools.edit({ path: "c" })]`
    const asked: Array<unknown> = []
    const result = await host.run(
      { callId: "c", name: "run_code", params: { source, plan: true } },
      (event) => {
        if (event._tag !== "AwaitingApproval") return
        asked.push(event.params)
        event.approve()
      },
    )
    expect(asked).toEqual([{ path: "b" }, { path: "c" }])
    expect(result.output.structured).toMatchObject({ result: [{ planned: 1 }, "edited a", { planned: 2 }] })
  })

  it("asks for nothing where the code fails, and throws at once what would be refused", async () => {
    const asked: Array<string> = []
    const host = executor()
    const { status, content } = await host.run(
      {
        name: "run_code",
        params: { source: "await tools.edit({ path: 'a' }); await tools.nothing()", plan: true },
      },
      (event) => asked.push(event._tag),
    )
    expect([status, content]).toEqual(["error", expect.stringContaining('There is no tool "nothing"')])
    expect(asked).not.toContain("AwaitingApproval")
  })
})

describe("runCodeTool", () => {
  it("refuses options that are none", () => {
    expect(() => runCodeTool({ tools: undefined as never })).toThrow(
      "Expected `tools` of `runCodeTool` to be names or a function, got `undefined` (undefined)",
    )
    expect(() => runCodeTool({ tools: [], limit: { calls: 1 } } as never)).toThrow(
      "`runCodeTool` has no option `limit`. Did you mean `limits`?",
    )
    expect(() => runCodeTool({ tools: [], limits: { call: 1 } as never })).toThrow(
      "`limits` of `runCodeTool` has no option `call`.",
    )
    expect(() => runCodeTool({ tools: [], limits: { calls: 0 } })).toThrow(
      "Expected `calls` of `limits` to be a positive integer, got `0` (number)",
    )
  })
})
