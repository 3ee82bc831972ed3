import { readFile } from "node:fs/promises"
import { PassThrough } from "node:stream"
import { expect, it, onTestFinished } from "vitest"
import { ServeHost } from "../../../src/hosts/serve/serve-host.ts"
import { writeFileTool } from "../../../src/impls/index.ts"
import { noIde, pipeline, type Tool, ToolExecutor, ToolRegistry } from "../../../src/index.ts"
import { useTempFolder } from "../../io/temp-folder.ts"
import { toolOf } from "../../support/executor-of.ts"

const path = useTempFolder()

interface Answer {
  readonly id?: number
  readonly result?: Record<string, unknown>
  readonly error?: { readonly message: string }
}

/** A client of a host with this tool. */
const connect = async (tool: Tool) => {
  const input = new PassThrough()
  const answers = new Map<number, (answer: Answer) => void>()
  const registry = new ToolRegistry([tool])
  const host = new ServeHost({
    version: "0",
    input,
    output: {
      pending: 0,
      onRoom: () => undefined,
      write: (text) => {
        const answer = JSON.parse(text) as Answer
        if (answer.id !== undefined) answers.get(answer.id)?.(answer)
        return true
      },
    },
    open: async () => ({
      executor: new ToolExecutor(registry, { cwd: path(), delegates: noIde }),
      registry,
    }),
    isClientsFault: () => false,
  })
  void host.run()
  let id = 0
  const send = (method: string, params: object = {}) =>
    new Promise<Answer>((resolve) => {
      id += 1
      answers.set(id, resolve)
      input.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`)
    })
  await send("initialize", { protocolVersion: 1 })
  onTestFinished(async () => void (await send("shutdown")))
  return send
}

it("`undo` previews, `resolve` makes it, and `changes` lists what was changed", async () => {
  const send = await connect(writeFileTool)
  const params = { path: "a", content: "x" }
  await send("enqueue", { calls: [{ callId: "write", name: "write_file", params, decision: "approve" }] })
  await expect
    .poll(() => send("changes").then(({ result }) => result?.changes))
    .toMatchObject([{ callId: "write", paths: [{ path: path("a"), what: "created" }] }])
  const undone = await send("undo", { callId: "write" })
  expect(undone.result).toMatchObject({ status: "complete", content: expect.stringContaining("deleted  a") })
  expect(await readFile(path("a"), "utf8")).toBe("x")
  await send("resolve", { action: "apply", reason: "test" })
  await expect(readFile(path("a"))).rejects.toThrow("ENOENT")
  const { result } = await send("changes")
  expect(result?.changes).toMatchObject([
    { callId: "write", undoneBy: undone.result!.callId },
    { name: "undo", callId: undone.result!.callId, undoes: ["write"] },
  ])
  expect((await send("undo", { last: 1, turn: 1 })).error?.message).toContain(
    "Expected `undo` to be given one of callId, turn, since, last",
  )
  expect((await send("changes", { since: "now" })).error?.message).toContain(
    "Expected `since` of `changes` to be epoch milliseconds",
  )
})

it("`resolve` is answered each time, also of a call id that is in use", async () => {
  const send = await connect(toolOf("change", pipeline().awaitResolve({ label: "Change" }).awaitApproval()))
  await send("enqueue", { calls: [{ name: "change" }] })
  await expect.poll(() => send("toolChoice").then(({ result }) => result?.toolChoice)).not.toBeNull()
  const request = { callId: "r", action: "apply", reason: "test" }
  const first = send("resolve", request)
  expect((await send("resolve", request)).result).toMatchObject({ status: "error", reason: "duplicate" })
  await send("deny", { callId: "r" })
  expect((await first).result).toMatchObject({ status: "denied" })
})
