// @module-tag waits
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, it, onTestFinished } from "vitest"
import { runCodeTool } from "../../src/code/index.ts"
import { pipeline, Step, ToolFilters } from "../../src/index.ts"
import { executorOf, toolOf } from "../support/executor-of.ts"

/** Each tries to reach the host, and returns "reached" where it does. What it throws, or returns else, is none. */
const attempts: ReadonlyArray<readonly [what: string, source: string]> = [
  ["a constructor's constructor", "return [].constructor.constructor('return process')() ? 'reached' : ''"],
  [
    "an async function's constructor",
    "return await (async () => {}).constructor('return process')() ? 'reached' : ''",
  ],
  [
    "a generator's constructor",
    "return (function* () {}).constructor('yield process')().next().value ? 'reached' : ''",
  ],
  [
    "the constructor of a host function",
    "return tools.echo.constructor('return process')() ? 'reached' : ''",
  ],
  [
    "the constructor of its promise",
    "return tools.echo({}).constructor.constructor('return process')() ? 'reached' : ''",
  ],
  [
    "the constructor of what it gave",
    "return (await tools.echo({})).constructor.constructor('return process')() ? 'reached' : ''",
  ],
  [
    "the constructor of an error",
    "try { await tools.fails() } catch (e) { return e.constructor.constructor('return process')() ? 'reached' : '' }",
  ],
  [
    "the stack of an error",
    "try { await tools.fails() } catch (e) { return /node_modules|src\\/code/.test(e.stack) ? 'reached' : '' }",
  ],
  [
    "Error.prepareStackTrace",
    "Error.prepareStackTrace = (_, s) => s; try { await tools.fails() } catch (e) { return Array.isArray(e.stack) && e.stack[0].getThis?.() ? 'reached' : '' }",
  ],
  ["eval", "return eval('typeof process') !== 'undefined' ? 'reached' : ''"],
  ["an indirect eval", "return (0, eval)('typeof process') !== 'undefined' ? 'reached' : ''"],
  ["an import", "return (await import('node:fs')).readFileSync ? 'reached' : ''"],
  [
    "an import of data",
    "return (await import('data:text/javascript,export default process')).default ? 'reached' : ''",
  ],
  ["import.meta", "return import.meta.url ? 'reached' : ''"],
  ["require", "return require('fs') ? 'reached' : ''"],
  ["this", "return typeof this?.process !== 'undefined' ? 'reached' : ''"],
  [
    "the global object",
    "return typeof globalThis.process !== 'undefined' || typeof globalThis.fetch !== 'undefined' ? 'reached' : ''",
  ],
  [
    "arguments.callee",
    "return (function () { return arguments.callee.caller })()?.constructor('return process')() ? 'reached' : ''",
  ],
  ["another realm", "return Reflect.construct(Function, ['return process'], class {})() ? 'reached' : ''"],
  ["WebAssembly", "return typeof WebAssembly !== 'undefined' && WebAssembly.Memory ? 'reached' : ''"],
  [
    "shared memory",
    "return typeof SharedArrayBuffer !== 'undefined' || typeof Atomics !== 'undefined' ? 'reached' : ''",
  ],
  ["timers", "return typeof setTimeout !== 'undefined' ? 'reached' : ''"],
  ["the prototype of objects", "Object.prototype.polluted = 1; return 'tried'"],
  [
    "the prototype by JSON",
    `await tools.echo(JSON.parse('{"__proto__": { "polluted": 1 }}')); return 'tried'`,
  ],
  [
    "the prototype by a constructor",
    `await tools.echo(JSON.parse('{"constructor": { "prototype": { "polluted": 1 } }}')); return 'tried'`,
  ],
  ["the prototype of arrays", "Array.prototype.push = () => 'reached'; return [].push(1)"],
  ["a tool named __proto__", "return await tools.__proto__({})"],
  ["a tool named constructor", "return await tools.constructor({})"],
  ["a tool named toString", "return await tools.toString({})"],
  ["a tool that it may not call", "return await tools.secret({})"],
  [
    "a tool that it may not call, by the host's function",
    "return JSON.parse(await $host.call('secret', '{}')).value",
  ],
  ["its own tool", "return await tools.run_code({ source: 'return 1' })"],
  [
    "parameters that are a proxy",
    "return await tools.echo(new Proxy({ a: 1 }, { get: () => { throw new Error('trap') } }))",
  ],
  ["parameters with a getter", "return await tools.echo({ get a() { return tools } })"],
  ["parameters with toJSON", "return await tools.echo({ toJSON: () => ({ a: 'x' }) })"],
  ["parameters in a cycle", "const a = {}; a.a = a; return await tools.echo(a)"],
  ["parameters that are no JSON", "return await tools.echo({ a: 1n })"],
  [
    "the host's function with other types",
    "return await $host.call({ toString: () => 'secret' }, { toString: () => '{}' })",
  ],
  ["the host's function with what is no JSON", "return await $host.call('echo', '{')"],
  [
    "another tools object",
    "tools.echo = async () => 'reached'; return (await tools.echo({})) === 'reached' ? 'reached' : ''",
  ],
  ["a long text", "return (await tools.echo({ a: 'x'.repeat(5e6) })).length"],
  ["deep nesting", "let a = {}; for (let i = 0; i < 1e5; i++) a = { a }; return await tools.echo(a)"],
  ["recursion", "const f = () => f() + 1; return f()"],
  ["a costly pattern", "return /^(a+)+$/.test('a'.repeat(40) + 'b')"],
  ["a result that is thenable", "return { then: (give) => give('x') }"],
  ["a promise that is never kept", "return await new Promise(() => {})"],
  ["a throw of null", "throw null"],
  ["a throw of an object with a getter", "throw { get message() { while (true) {} } }"],
  ["memory", "const a = []; for (;;) a.push(new Array(1e6).fill(1))"],
]

const echo = toolOf("echo", (params) => pipeline().andThen(() => Step.Output(JSON.stringify(params))))
const filters = () => ToolFilters.compile({ run_code: { allow: [".*"] } })

it.each(attempts)("code does not reach its host by %s", async (_, source) => {
  let secrets = 0
  const executor = executorOf(
    {
      echo,
      fails: toolOf(
        "fails",
        pipeline().andThen(() => Step.Error("no")),
      ),
      secret: toolOf(
        "secret",
        pipeline().andThen(() => {
          secrets += 1
          return Step.Output("reached")
        }),
      ),
      run_code: runCodeTool({ tools: ["echo", "fails"], limits: { time: 3000, memory: 16 * 1024 * 1024 } }),
    },
    { filters: filters() },
  )
  const { status, content } = await executor.run({ name: "run_code", params: { source } }, () => undefined)
  expect(["complete", "error"]).toContain(status)
  expect(content).not.toContain("reached")
  expect(secrets).toBe(0)
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  // The host goes on, and so does its next code.
  const next = await executor.run(
    { name: "run_code", params: { source: "return [1].concat(2)" } },
    () => undefined,
  )
  expect(next).toMatchObject({ status: "complete", content: "[1,2]" })
})

/** None ends before the limits that it is given here, all of which are far. */
const endless: ReadonlyArray<readonly [what: string, source: string]> = [
  ["a loop", "while (true) {}"],
  ["a costly pattern", "/^(a+)+$/.test('a'.repeat(40) + 'b')"],
  ["a getter of what it throws", "throw { get message() { while (true) {} } }"],
  ["promises that are kept", "for (;;) await null"],
  ["a promise that is never kept", "await new Promise(() => {})"],
  ["recursion", "const f = () => f() + 1; for (;;) try { f() } catch {}"],
  ["memory", "for (;;) try { for (const a = []; ; ) a.push(new Array(1e6).fill(1)) } catch {}"],
  ["lines of its log", "for (;;) console.log('x'.repeat(1e4))"],
  ["long parameters", "for (;;) await tools.echo({ a: 'x'.repeat(1e5) })"],
  ["failing calls", "for (;;) await tools.none().catch(() => {})"],
]

it.each(endless)(
  "the host serves a request while code is busy with %s, and then ends it",
  async (_, source) => {
    const server = createServer((_request, response) => response.end("served")).listen(0, "127.0.0.1")
    onTestFinished(() => void server.close().closeAllConnections())
    const limits = { time: 100_000, calls: 1_000_000, memory: 16 * 1024 * 1024 }
    const executor = executorOf(
      { echo, run_code: runCodeTool({ tools: ["echo"], limits }) },
      { filters: filters() },
    )
    const asked = async () => {
      const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
      executor.cancelCall("c", await answer.text())
    }
    const call = { callId: "c", name: "run_code", params: { source: `await tools.echo(); ${source}` } }
    // Code that would keep the host from serving would come to its end before the request does.
    const result = await executor.run(call, (event) => {
      if (event._tag === "Completed" && event.callId === "c/1") void asked()
    })
    expect(result).toMatchObject({ status: "cancelled", content: "served" })
  },
)
