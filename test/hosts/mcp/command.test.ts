// @module-tag waits
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises"
import { type AddressInfo, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { beforeEach, describe, expect, it, onTestFinished } from "vitest"
import { runNode, useCli } from "../../cli/built-cli.ts"
import { isAlive } from "../../support/is-alive.ts"
import { isLeftOut } from "../../support/needs.ts"
import { approve, type ConnectOptions, revisions, stockClient, textOfResult } from "./connected.ts"

const cli = useCli()
let cwd: string

beforeEach(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), "stepline-mcp-")))
  return () => rm(cwd, { recursive: true, force: true })
})

/** `stepline mcp` in the temporary folder, and a call of its tools that gives the text of the result. */
const start = async (options: ConnectOptions, args: ReadonlyArray<string> = []) => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [cli.path, "mcp", "--no-discovery", ...args],
    cwd,
    env: { ...(process.env as Record<string, string>), HOME: cwd },
  })
  const asked: Array<string> = []
  const client = stockClient(options, asked)
  onTestFinished(() => client.close())
  await client.connect(transport)
  const call = async (name: string, params: Record<string, unknown>) =>
    textOfResult(await client.callTool({ name, arguments: params }))
  return { client, call, asked, transport }
}

describe.each(revisions)("stepline mcp, to a client of revision %s", (revision) => {
  it("runs every built-in tool", async () => {
    await writeFile(join(cwd, "a.ts"), "const n = net(1)\n")
    const { client, call, asked } = await start({ revision, answer: () => approve() })
    const { tools } = await client.listTools()
    const ran = new Set<string>()
    const run = (name: string, params: Record<string, unknown>) => {
      ran.add(name)
      return call(name, params)
    }
    expect(await run("read_file", { path: "a.ts" })).toBe("   1│const n = net(1)")
    expect(await run("write_file", { path: "b/c.txt", content: "one\n" })).toContain("c.txt")
    const edits = [{ old_string: "one", new_string: "two" }]
    expect(await run("edit_file", { path: "b/c.txt", edits })).toBe(
      "Successfully applied 1 edit(s) to b/c.txt",
    )
    expect(asked.at(-1)).toMatch(/^ {2}-one\n {2}\+two$/m)
    expect(await readFile(join(cwd, "b/c.txt"), "utf8")).toBe("two\n")
    expect(await run("shell", { command: "cat b/c.txt; exit 3" })).toBe("two\n[exit code: 3]")
    expect(await run("open_file", { path: "a.ts" })).toContain("a.ts")
    expect(await run("ast_grep", { pattern: "net($A)", paths: ["a.ts"] })).toContain("net(1)")
    const ops = [{ pattern: "net($A)", replacement: "gross($A)" }]
    expect(await run("ast_edit", { ops, paths: ["a.ts"] })).toContain("gross(1)")
    expect(await run("resolve", { action: "apply", reason: "as asked" })).toContain("1")
    expect(await readFile(join(cwd, "a.ts"), "utf8")).toBe("const n = gross(1)\n")
    expect(await run("undo", { last: 1 })).toContain("-const n = gross(1)\n+const n = net(1)")
    expect(await run("resolve", { action: "apply", reason: "as asked" })).toContain("1 change made.")
    expect(await readFile(join(cwd, "a.ts"), "utf8")).toBe("const n = net(1)\n")
    const started = await run("shell", { command: "echo later", background: true })
    const id = /task_id: (\S+)\)/.exec(started)![1]!
    expect(await run("list_background_tasks", {})).toContain(`${id} (shell)`)
    expect(await run("wait_background_task", { task_id: id })).toContain("later")
    const silent = /task_id: (\S+)\)/.exec(
      await run("shell", { command: "echo a; sleep 300", background: true }),
    )![1]!
    await expect.poll(() => run("read_background_output", { task_id: silent })).toContain("a")
    expect(await run("cancel_background_task", { task_id: silent })).toContain(silent)
    await expect.poll(() => run("get_background_task", { task_id: silent })).toContain("[Cancelled]")
    expect(await run("record_correction", correction)).not.toBe("")
    // Addresses of this machine are refused, so that nothing of these needs a network.
    const here = { url: "http://127.0.0.1:1/" }
    expect(await run("fetch_url", here)).toContain("127.0.0.1")
    expect(await run("fetch_html", here)).toContain(isLeftOut("chromium") ? "No Chromium" : "127.0.0.1")
    expect(await run("web_search", {})).toContain("Validation failed")
    expect(tools.map(({ name }) => name).filter((name) => !ran.has(name))).toEqual([])
  })

  it("tells what a command prints while it runs, and kills it when its call is cancelled", async () => {
    const { client, call } = await start({ revision }, ["--allow", "shell=.*"])
    const abort = new AbortController()
    let tellPid: (pid: number) => void
    const pid = new Promise<number>((resolve) => (tellPid = resolve))
    const running = client.callTool(
      { name: "shell", arguments: { command: "echo $$; exec sleep 300" } },
      { signal: abort.signal, onprogress: ({ message }) => tellPid(Number(message)) },
    )
    const started = await pid
    expect(isAlive(started)).toBe(true)
    abort.abort()
    await expect(running).rejects.toThrow()
    await expect.poll(() => isAlive(started)).toBe(false)
    expect(await call("shell", { command: "printf well" })).toBe("well")
  })

  it("ends what runs, and itself, when its client goes", async () => {
    const { client, transport } = await start({ revision }, ["--allow", "shell=.*"])
    let tellPid: (pid: number) => void
    const pid = new Promise<number>((resolve) => (tellPid = resolve))
    const running = client.callTool(
      { name: "shell", arguments: { command: "echo $$; exec sleep 300" } },
      { onprogress: ({ message }) => tellPid(Number(message)) },
    )
    const started = await pid
    const server = transport.pid!
    const ended = expect(running).rejects.toThrow()
    await client.close()
    await ended
    await expect.poll(() => isAlive(server) || isAlive(started)).toBe(false)
  })
})

const correction = { goal: "build", failed_attempt: "make", successful_approach: "npm run build" }

describe("stepline mcp --http", () => {
  it("serves a port of this machine to whoever has its token", async () => {
    const child = spawn(process.execPath, [cli.path, "mcp", "--no-discovery", "--http", "0"], { cwd })
    onTestFinished(() => void child.kill("SIGKILL"))
    const lines = createInterface({ input: child.stderr })[Symbol.asyncIterator]()
    const [, url] = /^stepline: serving (http:\S+)$/.exec((await lines.next()).value!)!
    const [, token] = /Authorization: Bearer (\S+)$/.exec((await lines.next()).value!)!
    const client = stockClient({ answer: () => approve() })
    const headers = { Authorization: `Bearer ${token}` }
    await client.connect(new StreamableHTTPClientTransport(new URL(url!), { requestInit: { headers } }))
    const result = await client.callTool({ name: "shell", arguments: { command: "printf hi" } })
    expect(textOfResult(result)).toBe("hi")
    await client.close()
    expect((await fetch(url!)).status).toBe(401)
    child.kill("SIGTERM")
    const [status] = await once(child, "exit")
    expect(status).toBe(143)
  })

  it("wants a port", async () => {
    const other = createServer()
    onTestFinished(() => void other.close())
    await once(other.listen(0, "127.0.0.1"), "listening")
    const { port } = other.address() as AddressInfo
    expect(await runNode([cli.path, "mcp", "--no-discovery", "--http", `${port}`], { cwd })).toEqual({
      status: 2,
      stdout: "",
      stderr: `stepline: --http ${port}: listen EADDRINUSE: address already in use 127.0.0.1:${port}\n`,
    })
    expect(await runNode([cli.path, "mcp", "--http", "x"], { cwd })).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("--http x: expected a port, 0 for any that is free"),
    })
  })
})
