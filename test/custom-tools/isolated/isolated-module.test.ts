// @module-tag waits
/** Modules in processes of their own, by the package as it is published: a process needs its files. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { pathToFileURL } from "node:url"
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest"
import type { CustomToolHost } from "../../../src/custom-tools/index.ts"
import type { ToolEvent, ToolResult } from "../../../src/index.ts"
import { useTempFolder } from "../../io/temp-folder.ts"
import { copyOfPackage } from "../../support/built-package.ts"
import { deferred } from "../../support/deferred.ts"
import { writeFiles } from "../loading/write-files.ts"

const path = useTempFolder()
let core: typeof import("../../../src/index.ts")
let foreign: typeof import("../../../src/custom-tools/index.ts")
let folder: string
let onRemove = async () => {}
beforeAll(async () => {
  const copy = await copyOfPackage("isolated")
  onRemove = () => rm(copy, { recursive: true, force: true })
  // Its processes are no tests, which would take the sources.
  const manifest = await readFile(join(copy, "package.json"), "utf8")
  await writeFile(join(copy, "package.json"), manifest.replaceAll("@stepline/source", "source"))
  folder = join(copy, "dist")
  core = await import(pathToFileURL(join(folder, "index.js")).href)
  foreign = await import(pathToFileURL(join(folder, "custom-tools/index.js")).href)
})
afterAll(() => onRemove())

const extension = (code: string) => `
  import { writeSync } from "node:fs"
  import { Type } from "typebox"
  let calls = 0
  const say = (value) => ({ content: [{ type: "text", text: typeof value === "string" ? value : JSON.stringify(value) }] })
  export default (pi) => {
    const tool = (name, execute, more) =>
      pi.registerTool({ name, label: name, description: name, parameters: Type.Object({}), execute, ...more })
    tool("who", () => say([process.pid, ++calls]))
    ${code}
  }`

/** Loads an extension with this code, and also the tool \`who\`, which gives the id of its process and counts its calls. */
const load = async (code: string, host: CustomToolHost = {}, file = "extension.ts") => {
  await writeFiles(path(), { [file]: file === "extension.ts" ? extension(code) : code })
  const registry = new core.ToolRegistry()
  const customTools = await foreign.CustomTools.load({
    cwd: path(),
    registry,
    paths: [{ path: path(file), isolate: "process" }],
    discovery: false,
    host: { approval: false, ...host },
  })
  const executor = new core.ToolExecutor(registry, { hooks: customTools.hooks })
  customTools.attach(executor)
  onTestFinished(async () => {
    await customTools.emit({ reason: "shutdown" })
    await executor.shutdown()
  })
  const run = (
    name: string,
    params: object = {},
    onEvent?: (event: ToolEvent) => unknown,
    options: { signal?: AbortSignal } = {},
  ): Promise<ToolResult> => executor.run({ name, params }, onEvent, options)
  const who = async (): Promise<ReadonlyArray<number>> => JSON.parse((await run("who")).content)
  return { run, who, customTools, registry }
}

const ended = (how: string): string =>
  `The process of ${path("extension.ts")} has ended (${how}). The next call starts it again.`

describe("a tool in a process of its own", () => {
  it("streams, and gives its content and details, from another process", async () => {
    const { run, who } = await load(`
      tool("count", async (id, { to }, signal, onUpdate, ctx) => {
        onUpdate(say("one"))
        return { ...say([id, to, ctx.cwd]), details: { to } }
      }, { parameters: Type.Object({ to: Type.Number() }) })`)
    const deltas: Array<string> = []
    const result = await run("count", { to: "2" }, (event) => {
      if (event._tag === "Delta") deltas.push(event.content)
    })
    expect(deltas).toEqual(["one"])
    expect(JSON.parse(result.content)).toEqual([expect.any(String), 2, path()])
    expect(result.output.details).toEqual({ to: 2 })
    const [pid, calls] = await who()
    expect([pid === process.pid, calls, (await who())[1]]).toEqual([false, 1, 2])
  })

  it("fails with its error, and with its parameters' problems", async () => {
    const { run } = await load(`
      tool("fails", () => { throw new Error("no luck") })
      tool("answers", () => ({ ...say("not found"), isError: true }))
      tool("wants", () => say(""), { parameters: Type.Object({ a: Type.String() }) })`)
    expect(await run("fails")).toMatchObject({ status: "error", content: "no luck" })
    expect(await run("answers")).toMatchObject({ status: "error", content: "not found" })
    expect((await run("wants")).content).toContain("Validation failed")
  })

  it("asks and notifies the host's user", async () => {
    const shown: Array<unknown> = []
    const answer =
      <T>(value: T) =>
      async (...parts: Array<unknown>) => {
        shown.push(parts.slice(0, 2))
        return value
      }
    const ui = {
      ...foreign.noOpUI,
      ...{ confirm: answer(true), select: answer("b"), input: answer("me"), editor: answer(undefined) },
      notify: (...parts: Array<unknown>) => void shown.push(parts),
    }
    const { run } = await load(
      `tool("asks", async (id, params, signal, onUpdate, { ui, hasUI }) => {
        ui.notify("look", "warning")
        return say([await ui.confirm("a", "b"), await ui.select("c", ["a", "b"]), await ui.input("d"), await ui.editor("e", "f"), hasUI])
      })`,
      { ui, hasUI: true },
    )
    expect((await run("asks")).content).toBe('[true,"b","me",null,true]')
    expect(shown).toEqual([
      ["look", "warning"],
      ["a", "b"],
      ["c", ["a", "b"]],
      ["d", undefined],
      ["e", "f"],
    ])
  })

  it("dismisses its dialog when it is aborted", async () => {
    const dismissed = deferred()
    const confirm = (_title: string, _message: string, dialog?: { readonly signal?: AbortSignal }) =>
      new Promise<boolean>((resolve) => {
        dialog?.signal?.addEventListener("abort", () => {
          dismissed.resolve()
          resolve(false)
        })
        controller.abort()
      })
    const controller = new AbortController()
    const { run } = await load(
      `tool("asks", async (id, params, signal, onUpdate, { ui }) => say(await ui.confirm("a", "b", { signal })))`,
      { ui: { ...foreign.noOpUI, confirm }, hasUI: true },
    )
    await expect(run("asks", {}, undefined, controller)).rejects.toThrow("aborted")
    await dismissed.promise
  })

  it("is told of an abort, and its process goes on", async () => {
    const { run, who } = await load(`
      let reason = "none"
      tool("waits", (id, params, signal, onUpdate) => new Promise((resolve) => {
        signal.addEventListener("abort", () => { reason = "aborted"; resolve(say("")) })
        onUpdate(say("waiting"))
      }))
      tool("reason", () => say(reason))`)
    const [pid] = await who()
    const controller = new AbortController()
    const waiting = run("waits", {}, (event) => event._tag === "Delta" && controller.abort(), controller)
    await expect(waiting).rejects.toThrow("aborted")
    expect((await run("reason")).content).toBe("aborted")
    expect(await who()).toEqual([pid, 2])
  })
})

describe("the host goes on, and the next call has a new process,", () => {
  it("if a tool never gives its thread back", async () => {
    const { run, who } = await load(`tool("spins", (id, params, signal, onUpdate) => {
      onUpdate(say("spinning"))
      return new Promise(() => setImmediate(() => { for (;;); }))
    })
    tool("other", () => new Promise(() => {}))`)
    const [pid] = await who()
    const controller = new AbortController()
    const spins = run("spins", {}, (event) => event._tag === "Delta" && controller.abort(), controller)
    await expect(spins).rejects.toThrow("aborted")
    expect((await who())[0]).not.toBe(pid)
  })

  it("if a tool takes all memory", async () => {
    const { run, who } = await load(
      'tool("hog", () => { for (const all = []; ; ) all.push(new Array(1_000_000).fill(0)) })',
    )
    expect(await run("hog")).toMatchObject({ status: "error", content: ended("SIGABRT") })
    expect((await who())[1]).toBe(1)
  })

  it("if a finalizer throws", async () => {
    const { run, who } = await load(`tool("finalizes", async () => {
      const { setFlagsFromString } = await import("node:v8")
      const { runInNewContext } = await import("node:vm")
      setFlagsFromString("--expose-gc")
      const gc = runInNewContext("gc")
      globalThis.registry = new FinalizationRegistry(() => { throw new Error("late") })
      registry.register({}, 1)
      for (;;) {
        gc()
        await new Promise(setImmediate)
      }
    })`)
    expect((await run("finalizes")).content).toBe(ended("code 1"))
    expect((await who())[1]).toBe(1)
  })

  it("if the process is killed in a call", async () => {
    const { run, who } = await load(
      'tool("waits", (id, params, signal, onUpdate) => { onUpdate(say(String(process.pid))); return new Promise(() => {}) })',
    )
    const killed = await run("waits", {}, (event) => {
      if (event._tag === "Delta") process.kill(Number(event.content), "SIGKILL")
    })
    expect(killed).toMatchObject({ status: "error", content: ended("SIGKILL") })
    expect((await who())[1]).toBe(1)
  })

  it("whatever a tool does to the objects of its process", async () => {
    const { run } = await load(
      'tool("patches", () => { String.prototype.trim = () => "patched"; return say(" a ".trim()) })',
    )
    expect((await run("patches")).content).toBe("patched")
    expect(" a ".trim()).toBe("a")
  })

  it("whatever a process sends", async () => {
    const { run } = await load(`tool("lies", () => {
      for (const line of ["no JSON", "[]", "null", '{"id":1}', '{"id":"a","value":1}', '{"abort":99}', '{"id":77,"error":"x"}',
        '{"method":"ui","params":{"name":"constructor","args":["a"]}}', '{"method":"ui","id":5,"params":{"name":"confirm","args":[{}]}}',
        '{"method":"host","params":{"name":"__proto__","args":[]}}', '{"method":"update","params":[]}', '{"method":"tool","params":{"kind":"pi","name":7}}'])
        writeSync(3, line + "\\n")
      return say("done")
    })`)
    expect((await run("lies")).content).toBe("done")
  })

  it("and no process is left where the host is killed, even one in a loop", async () => {
    await writeFiles(path(), {
      "extension.ts": extension(
        'tool("spins", (id, params, signal, onUpdate) => { onUpdate(say("spinning")); setImmediate(() => { for (;;); }); return new Promise(() => {}) })',
      ),
      "host.mjs": `
        import { ToolExecutor, ToolRegistry } from ${JSON.stringify(pathToFileURL(join(folder, "index.js")).href)}
        import { CustomTools } from ${JSON.stringify(pathToFileURL(join(folder, "custom-tools/index.js")).href)}
        const registry = new ToolRegistry()
        const cwd = ${JSON.stringify(path())}
        await CustomTools.load({ cwd, registry, paths: ["extension.ts"], isolate: "process", discovery: false, host: { approval: false } })
        await new ToolExecutor(registry).run({ name: "spins" }, (event) => {
          if (event._tag === "Delta") process.kill(process.pid, "SIGKILL")
        })`,
    })
    const host = spawn(process.execPath, [path("host.mjs")], { stdio: ["ignore", "ignore", "pipe"] })
    // The process of the module has the same stderr: that ends with it.
    const [said, [, signal]] = await Promise.all([text(host.stderr), once(host, "close")])
    expect([said, signal]).toEqual(["", "SIGKILL"])
  })
})

describe("an extension in a process of its own", () => {
  it("hears the session, and registers tools then, also in a further process", async () => {
    const { run, customTools, registry } = await load(`
      pi.on("session_start", ({ reason }) => tool("late", () => say(reason)))
      tool("waits", (id, params, signal, onUpdate) => { onUpdate(say(String(process.pid))); return new Promise(() => {}) })`)
    expect(registry.names).not.toContain("late")
    await customTools.emit({ reason: "start" })
    expect(registry.names).toContain("late")
    await run(
      "waits",
      {},
      (event) => event._tag === "Delta" && process.kill(Number(event.content), "SIGKILL"),
    )
    expect((await run("late")).content).toBe("startup")
  })

  it("decides on calls of other tools, and rewrites results", async () => {
    const { run, registry } = await load(`
      pi.on("tool_call", ({ toolName, input }) => {
        if (toolName === "no") return { block: true, reason: "not this" }
        if (toolName === "echo") return { input: { text: input.text + "!" } }
      })
      pi.on("tool_result", ({ toolName, content }) =>
        toolName === "echo" ? { content: [...content, { type: "text", text: "seen" }] } : undefined)`)
    const parameters = { type: "object", properties: { text: { type: "string" } } } as const
    for (const name of ["no", "echo"]) {
      const compose = ({ text = "" }: { text?: string }) =>
        core.pipeline().andThen(() => core.Step.Output(text))
      registry.register(core.defineTool({ name, description: name, parameters, compose: compose as never }))
    }
    expect(await run("no")).toMatchObject({ status: "denied", content: "not this" })
    expect((await run("echo", { text: "a" })).content).toBe("a!\nseen")
  })

  it("decides also where it begins to listen after it was loaded, and writes to the host's log", async () => {
    const warn = vi.fn()
    const logger = { warn, error: vi.fn(), info: vi.fn(), debug: vi.fn() }
    const code = `pi.on("session_start", () => {
      pi.on("tool_call", ({ toolName }) => {
        pi.logger.warn("asked", { toolName })
        return { block: true, reason: "not now" }
      })
    })`
    const { run, customTools } = await load(code, { logger })
    expect((await run("who")).status).toBe("complete")
    await customTools.emit({ reason: "start" })
    expect(await run("who")).toMatchObject({ status: "denied", content: "not now" })
    expect(warn.mock.calls).toEqual([["asked", { toolName: "who" }]])
  })

  it("knows of a screen that the host gets after it was loaded", async () => {
    const code = `pi.on("tool_call", (event, { hasUI, mode }) => ({ block: true, reason: mode + hasUI }))`
    const { run, customTools } = await load(code)
    customTools.setUIContext(foreign.noOpUI, true)
    expect((await run("who")).content).toBe("rpctrue")
  })

  it("knows what its host says of the session at the time", async () => {
    let isSo = false
    const says = () => isSo
    const code = `pi.on("tool_call", (event, ctx) => ({
      block: true,
      reason: [ctx.isIdle(), ctx.isProjectTrusted(), ctx.hasPendingMessages()].join(),
    }))`
    const { run } = await load(code, { isIdle: says, isProjectTrusted: says, hasPendingMessages: says })
    expect((await run("who")).content).toBe("false,false,false")
    isSo = true
    expect((await run("who")).content).toBe("true,true,true")
  })

  it("aborts also in listeners and commands, and listeners have the signal of the call", async () => {
    const onAbort = vi.fn()
    const code = `
      pi.on("tool_call", (event, { abort, signal }) => {
        if (signal.aborted) throw new Error("aborted before")
        abort()
      })
      pi.on("turn_start", (event, { abort }) => abort())
      pi.registerCommand("stop", { handler: (args, { abort }) => abort() })`
    const { run, customTools } = await load(code, { onAbort })
    expect((await run("who")).status).toBe("cancelled")
    expect(onAbort).toHaveBeenCalledTimes(1)
    await customTools.emit({ type: "turn_start" })
    expect(onAbort).toHaveBeenCalledTimes(2)
    await customTools.extensions.runCommand("stop")
    expect(onAbort).toHaveBeenCalledTimes(3)
  })

  it("reports to the host's log what a call leaves to nobody", async () => {
    const warn = vi.fn()
    const logger = { warn, error: vi.fn(), info: vi.fn(), debug: vi.fn() }
    const code = `tool("leave", async () => {
      Promise.reject(new Error("lost"))
      await new Promise((resolve) => setImmediate(resolve))
      return say("left")
    })`
    const { run } = await load(code, { logger })
    expect((await run("leave")).content).toBe("left")
    expect(warn.mock.calls).toEqual([["leave left a failure to nobody: lost", undefined]])
  })

  it("has commands and flags", async () => {
    const notify = vi.fn()
    const { customTools } = await load(
      `pi.registerFlag("loud", { type: "boolean", default: false })
       pi.registerCommand("hi", { description: "Greets.", handler: (args, { ui }) => ui.notify(args + pi.getFlag("loud")) })`,
      { ui: { ...foreign.noOpUI, notify }, flags: { loud: true } },
    )
    expect(customTools.extensions.commands).toMatchObject([{ name: "hi", description: "Greets." }])
    expect(customTools.extensions.flags.get("loud")).toMatchObject({ type: "boolean" })
    await customTools.extensions.runCommand("hi", "you ")
    expect(notify.mock.lastCall?.[0]).toBe("you true")
  })

  it("has commands and flags that it registers once the session starts", async () => {
    const { customTools, run } = await load(`pi.on("session_start", () => {
      pi.registerFlag("late", { type: "string" })
      pi.registerCommand("late", { handler: () => { calls = 41 } })
    })`)
    await customTools.emit({ reason: "start" })
    expect([...customTools.extensions.flags]).toEqual([["late", { type: "string" }]])
    await customTools.extensions.runCommand("late")
    expect((await run("who")).content).toMatch(/,42\]$/)
  })

  it("ends with the session", async () => {
    const { who, customTools } = await load("")
    const [pid] = await who()
    await customTools.emit({ reason: "shutdown" })
    const [next, calls] = await who()
    expect([next === pid, calls]).toEqual([false, 1])
  })

  it("may return tools of oh-my-pi, with their defaults and sessions", async () => {
    const onAbort = vi.fn()
    const { run, customTools } = await load(
      `let heard = []
       export default ({ zod }) => ({
         name: "omp", description: "", approval: "read",
         parameters: zod.object({ n: zod.number().default(3), s: zod.string().transform((s) => s.length) }),
         execute: async (id, params, onUpdate, ctx, signal) => ({ content: [{ type: "text", text: JSON.stringify([params, heard, signal.aborted]) }] }),
         onSession: ({ reason }, ctx) => { heard.push(reason); ctx.abort() },
       })`,
      { onAbort },
      "tool.ts",
    )
    await customTools.emit({ reason: "start" })
    expect(onAbort).toHaveBeenCalledTimes(1)
    expect((await run("omp", { s: "four" })).content).toBe('[{"n":3,"s":4},["start"],false]')
  })
})

describe("what cannot be loaded in a process of its own", () => {
  const errorOf = async (code: string): Promise<string | undefined> =>
    (await load(code, {}, "tool.ts")).customTools.errors[0]?.error

  it.each([
    ["throws", 'throw new Error("no")', "Failed to load tool: no"],
    ["exports no function", "export const a = 1", "Tool must export a default function"],
    [
      "ends its process",
      'import { execSync } from "node:child_process"; export default () => execSync("kill -9 " + process.pid)',
      "has ended (SIGKILL)",
    ],
  ])("is listed: a module that %s", async (_case, code, error) => {
    expect(await errorOf(code)).toContain(error)
  })

  it("is listed: a module whose files are checked", async () => {
    await writeFiles(path(), { "extension.ts": extension("") })
    const loader = new foreign.ModuleLoader({ check: () => undefined })
    const paths = [path("extension.ts")]
    const { errors } = await foreign.loadExtensions(paths, path(), { isolate: "process", loader })
    expect(errors[0]?.error).toBe(
      "Failed to load tool: Its files cannot be checked in a process of its own: load it without `isolate`",
    )
  })

  it("is refused: another way to isolate", async () => {
    const expected = 'Expected `isolate` to be "process", got `thread` (string)'
    const options = { isolate: "thread" } as never
    await expect(foreign.loadExtensions([], path(), options)).rejects.toThrow(expected)
    await expect(foreign.loadExtensions([{ path: "a", ...(options as object) }], path())).rejects.toThrow(
      expected,
    )
  })
})
