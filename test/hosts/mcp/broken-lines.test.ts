// @module-tag waits
/** Clients of `stepline mcp` that send what is no message. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { Writable } from "node:stream"
import { describe, expect, it, onTestFinished } from "vitest"
import { loadServerSdk } from "../../../src/hosts/mcp/load-sdk.ts"
import { messageLines } from "../../../src/hosts/mcp/message-lines.ts"
import { useCli } from "../../cli/built-cli.ts"
import { deferred, turn, until } from "../../support/deferred.ts"

const cli = useCli()

const expected =
  'Expected a message of JSON-RPC: an object with `jsonrpc`: "2.0", a `method`, an `id` if it is a request, and `params`, if any, by name'

const refusal = (code: number, message: unknown, id: unknown = null) => ({
  jsonrpc: "2.0",
  id,
  error: { code, message },
})

const open = async () => {
  const cwd = await mkdtemp(join(tmpdir(), "stepline-mcp-lines-"))
  const child = spawn(process.execPath, [cli.path, "mcp", "--no-discovery"], {
    cwd,
    env: { ...process.env, HOME: cwd },
  })
  const ended = once(child, "close")
  onTestFinished(async () => {
    child.kill("SIGKILL")
    await ended
    await rm(cwd, { recursive: true, force: true })
  })
  const told: Array<string> = []
  child.stderr.setEncoding("utf8").on("data", (text: string) => told.push(text))
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const send = (line: string): void => void child.stdin.write(`${line}\n`)
  const next = async (): Promise<unknown> => JSON.parse((await answers.next()).value as string)
  const ask = (line: string): Promise<unknown> => {
    send(line)
    return next()
  }
  let id = 0
  const request = (method: string, params: object = {}) =>
    ask(JSON.stringify({ jsonrpc: "2.0", id: `ask-${++id}`, method, params }))
  const initialize = async () => {
    await request("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "raw", version: "1.0.0" },
    })
    send('{"jsonrpc":"2.0","method":"notifications/initialized"}')
  }
  return { child, ended, told, send, next, ask, request, initialize }
}

describe.each(["before", "after"] as const)("%s the first message", (when) => {
  it("what is no message is answered with an error, and the next one is read", async () => {
    const { child, ended, told, ask, request, initialize } = await open()
    if (when === "after") await initialize()
    for (const [line, answer] of [
      ["[]", refusal(-32600, "Batches are not supported: send a message a line.")],
      ["null", refusal(-32600, `${expected}, got \`null\` (null).`)],
      ["1", refusal(-32600, `${expected}, got \`1\` (number).`)],
      ['"ping"', refusal(-32600, `${expected}, got \`ping\` (string).`)],
      ["{}", refusal(-32600, `${expected}.`)],
      ['{"jsonrpc":"2.0","id":7}', refusal(-32600, `${expected}.`, 7)],
      ['{"jsonrpc":"1.0","id":"a","method":"ping"}', refusal(-32600, `${expected}.`, "a")],
      ['{"jsonrpc":"2.0","id":true,"method":"ping"}', refusal(-32600, `${expected}.`)],
      ['{"jsonrpc":"2.0","id":8,"method":"ping","params":[]}', refusal(-32600, `${expected}.`, 8)],
      [
        '{"jsonrpc":',
        refusal(-32700, expect.stringMatching(/^The line is no JSON: .+\. Send a message a line\.$/)),
      ],
    ] as const) {
      expect([line, await ask(line)]).toEqual([line, answer])
    }
    if (when === "before") await initialize()
    expect(await request("ping")).toMatchObject({ result: {} })
    child.stdin.end()
    expect(await ended).toEqual([0, null])
    expect(told).toEqual([])
  })
})

it("an answer that is none is told on one line, and not answered", async () => {
  const { child, ended, told, send, request, initialize } = await open()
  await initialize()
  send('{"jsonrpc":"2.0","id":1,"result":5}')
  expect(await request("ping")).toMatchObject({ result: {} })
  child.stdin.end()
  await ended
  expect(told.join("")).toBe(`stepline: The client has sent an answer that is none. ${expected}.\n`)
})

it("a line that is too long is refused, and the next one is read", async () => {
  const { child, next, request, initialize } = await open()
  await initialize()
  const chunk = "x".repeat(1024 * 1024)
  for (let count = 0; count < 11; count += 1) child.stdin.write(chunk)
  child.stdin.write("\n")
  expect(await next()).toEqual(
    refusal(
      -32700,
      "The line has 11534336 bytes; the most that a line may have are 10485760. Send a message a line.",
    ),
  )
  const large = `${"y".repeat(9 * 1024 * 1024)}`
  expect(await request("tools/call", { name: "read_file", arguments: { path: large } })).toMatchObject({
    result: { isError: true },
  })
})

it("what stands behind the last newline is a line", async () => {
  const { child, ended, next } = await open()
  child.stdin.end("[]")
  expect(await next()).toEqual(refusal(-32600, "Batches are not supported: send a message a line."))
  expect(await ended).toEqual([0, null])
})

it("a client that does not read what it is answered is not read any further", async () => {
  const taken: Array<() => void> = []
  const output = new Writable({ highWaterMark: 1, write: (_chunk, _encoding, done) => void taken.push(done) })
  const lines = messageLines({ sdk: await loadServerSdk(), output, maxBytes: 100, onError: undefined })
  const message = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
  const first = once(lines, "data")
  lines.write(`[]\n[]\n${message}`)
  await until(() => taken.length === 1)
  await turn()
  expect(taken.length + lines.readableLength).toBe(1)
  taken[0]!()
  await until(() => taken.length === 2)
  taken[1]!()
  expect(String(await first)).toBe(message)
})

it("a client that goes while it is answered is waited for no more", async () => {
  const writes = deferred()
  const write = () => writes.resolve()
  const options = { sdk: await loadServerSdk(), maxBytes: 100, onError: undefined }
  const output = new Writable({ highWaterMark: 1, write })
  const lines = messageLines({ ...options, output })
  const ended = once(lines.resume(), "end")
  lines.end("[]\n[]\n")
  await writes.promise
  output.destroy()
  await ended
  // Nor one that has gone before.
  const late = messageLines({ ...options, output })
  late.end("[]\n")
  await once(late.resume(), "end")
})
