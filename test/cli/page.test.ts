// @module-tag waits
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir, userInfo } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { Readable } from "node:stream"
import type { ElicitResult } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { expect, it, onTestFinished } from "vitest"
import { type ConnectOptions, stockClient, textOfResult } from "../hosts/mcp/connected.ts"
import { PseudoTerminal } from "../hosts/terminal/pseudo-terminal.ts"
import { settled } from "../hosts/web/inbox-page.ts"
import { usePages } from "../hosts/web/pages.ts"
import { describeWith } from "../support/needs.ts"
import { plainEnvironment, runNode, useCli } from "./built-cli.ts"
import { useOneProcess } from "./one-process.ts"

const folder = async (): Promise<string> => {
  const path = await mkdtemp(join(tmpdir(), "stepline-page-"))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}

/** The first line of a stream that matches, as its first group. */
const lineOf = async (stream: NodeJS.ReadableStream, pattern: RegExp): Promise<string> => {
  for await (const line of createInterface({ input: stream })) {
    const [, found] = pattern.exec(line) ?? []
    if (found !== undefined) return found
  }
  throw new Error(`There was no line like ${pattern}`)
}

describeWith("chromium")("the command's page", () => {
  const cli = useCli()
  const runLine = useOneProcess(cli)
  const pages = usePages()

  const start = (args: ReadonlyArray<string>, cwd: string): ChildProcessWithoutNullStreams => {
    const env = { ...plainEnvironment(process.env), HOME: cwd }
    const child = spawn(process.execPath, [cli.path, ...args], { cwd, env })
    onTestFinished(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill()
      await once(child, "close")
    })
    return child
  }

  it("`ui` calls a tool from the page, asks about it there, and ends with a signal", async () => {
    const cwd = await folder()
    const child = start(["ui", "--no-discovery"], cwd)
    const url = await lineOf(child.stdout, /^(http:\S+)$/)
    const page = await pages.open(url)
    await page.getByRole("heading", { name: "stepline in ~" }).waitFor()
    await page.getByRole("button", { name: "Call a tool" }).click()
    const dialog = page.getByRole("dialog", { name: "Call a tool" })
    await dialog.getByLabel("Tool").selectOption("write_file")
    await dialog.getByLabel("path").fill("a.txt")
    await dialog.getByLabel("content").fill("hello")
    await dialog.getByRole("button", { name: "Run" }).click()
    await page.getByRole("button", { name: "Approve" }).click()
    await page.getByText("Nothing waits for you.").waitFor()
    await expect.poll(() => readFile(join(cwd, "a.txt"), "utf8").catch(() => "")).toBe("hello")
    child.kill()
    const [status] = await once(child, "close")
    expect(status).toBe(143)
    await page.getByText("Ended", { exact: true }).waitFor()
  })

  it("`ui` asks on its page what tools of other agents ask their user", async () => {
    const cwd = await folder()
    await writeFile(
      join(cwd, "greet.js"),
      `export default (api) => ({
        name: "greet",
        label: "Greet",
        description: "Greets.",
        parameters: api.typebox.Type.Object({}),
        annotations: { readOnlyHint: true },
        async execute(_id, _params, _onUpdate, ctx) {
          const name = await ctx.ui.input("Whom?")
          return { content: [{ type: "text", text: "hello " + name }] }
        },
      })`,
    )
    const child = start(["ui", "--no-discovery", "--tool-path", "greet.js"], cwd)
    const page = await pages.open(await lineOf(child.stdout, /^(http:\S+)$/))
    await page.getByRole("button", { name: "Call a tool" }).click()
    const dialog = page.getByRole("dialog", { name: "Call a tool" })
    await dialog.getByLabel("Tool").selectOption("greet")
    await dialog.getByRole("button", { name: "Run" }).click()
    const question = page.getByRole("listitem", { name: "Question: Whom?" })
    await question.getByRole("textbox").fill("Ada")
    await question.getByRole("button", { name: "Answer" }).click()
    await page.getByText("Nothing waits for you.").waitFor()
    await page.getByRole("application").focus()
    await page.keyboard.press("ArrowRight")
    await page.keyboard.press("Enter")
    await page.getByRole("region", { name: "Call" }).getByText("hello Ada").waitFor()
  })

  it("`ui --durable` goes on with a question whose page was killed", async () => {
    const cwd = await folder()
    const args = ["ui", "--no-discovery", "--durable", "calls.db"]
    const first = start(args, cwd)
    const page = await pages.open(await lineOf(first.stdout, /^(http:\S+)$/))
    await page.getByRole("button", { name: "Call a tool" }).click()
    const dialog = page.getByRole("dialog", { name: "Call a tool" })
    await dialog.getByLabel("Tool").selectOption("write_file")
    await dialog.getByLabel("path").fill("a.txt")
    await dialog.getByLabel("content").fill("kept")
    await dialog.getByRole("button", { name: "Run" }).click()
    await page.getByRole("button", { name: "Approve" }).waitFor()
    first.kill("SIGKILL")
    await once(first, "close")
    const again = await pages.open(await lineOf(start(args, cwd).stdout, /^(http:\S+)$/))
    await again.getByRole("button", { name: "Approve" }).click()
    await again.getByText("Nothing waits for you.").waitFor()
    await expect.poll(() => readFile(join(cwd, "a.txt"), "utf8").catch(() => "")).toBe("kept")
  })

  it("`ui --store` shows and answers what another process runs, also one that is killed and started again", async () => {
    const cwd = await folder()
    const command = "cat wanted.txt >> out.txt"
    const calls = [
      { callId: "first", name: "shell", params: { command: "echo one >> out.txt" } },
      { callId: "second", name: "shell", params: { command } },
    ]
    await writeFile(join(cwd, "calls.jsonl"), calls.map((call) => JSON.stringify(call)).join("\n"))
    await writeFile(join(cwd, "wanted.txt"), "two\n")
    const args = ["run", "calls.jsonl", "--no-discovery", "--durable", "calls.db", "--json"]
    const first = start(args, cwd)
    const told = createInterface({ input: first.stdout })
    for await (const line of told) if (line.includes('"AwaitingApproval"')) break
    first.stdout.resume()
    const page = await pages.open(
      await lineOf(start(["ui", "--store", "calls.db"], cwd).stdout, /^(http:\S+)$/),
    )
    await page.getByRole("heading", { name: "stepline, calls of ~/calls.db" }).waitFor()
    await page.getByRole("button", { name: "Approve" }).click()
    const next = page.getByRole("listitem", { name: "shell: cat wanted.txt" })
    await next.getByRole("button", { name: "Approve" }).waitFor()
    first.kill("SIGKILL")
    await once(first, "close")
    await settled(page)
    await next.getByRole("button", { name: "Approve" }).click()
    await next.getByText("Your answer is stored. It waits for a process that runs these calls.").waitFor()
    const second = start(args, cwd)
    second.stdout.resume()
    const [status] = await once(second, "close")
    expect(status).toBe(0)
    expect(await readFile(join(cwd, "out.txt"), "utf8")).toBe("one\ntwo\n")
    await page.getByText("Nothing waits for you.").waitFor()
    await page.getByRole("application").focus()
    await page.keyboard.press("ArrowLeft")
    await page.keyboard.press("Enter")
    await page.getByRole("region", { name: "Call" }).getByText(userInfo().username, { exact: true }).waitFor()
    expect(await page.getByText("Connection lost, trying again…").count()).toBe(0)
  })

  it("`ui --store` says which options are not for it, and where there is no store", async () => {
    const cwd = await folder()
    for (const [args, message] of [
      [[], "--store: There is no store at CWD/calls.db yet: start what runs its calls first."],
      [
        ["--durable", "calls.db"],
        "--durable runs the calls of a store, and --store shows those that another process runs: give one of both",
      ],
      [
        ["--sandbox"],
        "--store shows calls that another process runs: --sandbox is for that process, so leave it out here",
      ],
      [
        ["--no-discovery"],
        "--store shows calls that another process runs: --no-discovery is for that process, so leave it out here",
      ],
      [
        ["--pass-env", "TOKEN"],
        "--store shows calls that another process runs: --pass-env is for that process, so leave it out here",
      ],
      [["--port", "x"], "--port x: expected a port, 0 for any that is free"],
    ] as const) {
      const { status, stderr } = await runLine(["ui", "--store", "calls.db", ...args], { cwd })
      expect([status, stderr]).toEqual([2, `stepline: ${message.replace("CWD", await realpath(cwd))}\n`])
    }
  })

  it("`run --ui` waits for the page where there is no terminal, and `--timeline` keeps what happened", async () => {
    const cwd = await folder()
    const script = join(cwd, "calls.jsonl")
    await writeFile(script, '{"name":"shell","params":{"command":"echo \'</script><b>hi\'"}}\n')
    const child = start(["run", script, "--ui", "--timeline", "out.html", "--no-discovery"], cwd)
    const page = await pages.open(await lineOf(child.stderr, /the page: (http:\S+)$/))
    // It may have ended before the click is told to be over.
    const closed = once(child, "close")
    await page.getByRole("button", { name: "Approve" }).click()
    const [status] = await closed
    expect(status).toBe(0)
    const written = await pages.open(`file://${join(cwd, "out.html")}`)
    await written.getByRole("application").focus()
    await written.keyboard.press("ArrowRight")
    await written.keyboard.press("Enter")
    const call = written.getByRole("region", { name: "Call" })
    await call.getByText("</script><b>hi", { exact: true }).waitFor()
    await call.getByText(userInfo().username, { exact: true }).waitFor()
    expect(await written.getByRole("region", { name: "Inbox" }).count()).toBe(0)
  })

  it("`--timeline` costs no run where its file cannot be written", async () => {
    const cwd = await folder()
    const args = ["--timeline", "nowhere/out.html", "--yes", "shell", "touch ran"]
    const { status, stderr } = await runLine(args, { cwd })
    expect([status, stderr]).toEqual([
      2,
      "stepline: --timeline nowhere/out.html: its folder is not there, so make that first\n",
    ])
    await expect(readFile(join(cwd, "ran"))).rejects.toThrow("ENOENT")
  })

  it("`serve --ui` shows what a client calls", async () => {
    const cwd = await folder()
    const child = start(["serve", "--ui", "--no-discovery"], cwd)
    const send = (id: number, method: string, params: object) =>
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`)
    send(1, "initialize", { protocolVersion: 1 })
    const page = await pages.open(await lineOf(child.stderr, /the page: (http:\S+)$/))
    send(2, "enqueue", { calls: [{ callId: "c", name: "shell", params: { command: "echo hi" } }] })
    const ended = lineOf(child.stdout, /"_tag":"(Denied)"/)
    await page.getByRole("button", { name: "Deny…" }).click()
    await page.getByRole("button", { name: "Deny", exact: true }).click()
    expect(await ended).toBe("Denied")
  })

  const mcpClient = async (cwd: string, options: ConnectOptions) => {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [cli.path, "mcp", "--ui", "--no-discovery"],
      cwd,
      env: { ...(plainEnvironment(process.env) as Record<string, string>), HOME: cwd },
      stderr: "pipe",
    })
    const client = stockClient(options)
    onTestFinished(() => client.close())
    const url = lineOf(transport.stderr as Readable, /the page: (http:\S+)$/)
    await client.connect(transport)
    return { client, page: await pages.open(await url) }
  }

  it("`mcp --ui` waits for the page where its client cannot ask its user", async () => {
    const cwd = await folder()
    const { client, page } = await mcpClient(cwd, {})
    const params = { path: "a.txt", content: "from a client" }
    const called = client.callTool({ name: "write_file", arguments: params })
    await page.getByRole("button", { name: "Approve" }).click()
    expect(textOfResult(await called)).toContain("a.txt")
    expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("from a client")
    await client.close()
    await page.getByText("Ended", { exact: true }).waitFor()
  })

  it("`mcp --ui` takes the first answer, and tells its client once that has closed its form", async () => {
    const cwd = await folder()
    let decline = () => {}
    const declined = new Promise<ElicitResult>((resolve) => {
      decline = () => resolve({ action: "decline" })
    })
    const { client, page } = await mcpClient(cwd, { answer: () => declined })
    const params = { path: "a.txt", content: "from a client" }
    const called = client.callTool({ name: "write_file", arguments: params })
    await page.getByRole("button", { name: "Approve" }).click()
    await page.getByText("Nothing waits for you.").waitFor()
    decline()
    expect(textOfResult(await called)).toContain("a.txt")
    expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("from a client")
  })

  it("a session's `--ui` shows what is typed, and its gate is answered there", async () => {
    const cwd = await folder()
    await using terminal = new PseudoTerminal([cli.path, "--ui", "--no-discovery"], {
      cwd,
      env: { ...process.env, HOME: cwd },
      columns: 160,
      rows: 40,
    })
    const seen = await terminal.see(/the page: http:\S+\n[\s\S]*›$/)
    const page = await pages.open(/the page: (http:\S+)/.exec(seen)![1]!)
    terminal.enter("write_file a.txt hello")
    await page.getByRole("listitem", { name: /^write_file: / }).waitFor()
    await page.getByRole("button", { name: "Approve" }).click()
    await terminal.see("Created a.txt")
    expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("hello")
    terminal.type("\u0004")
    await terminal.exited
    await page.getByText("Ended", { exact: true }).waitFor()
  })

  it("a session has no timeline to write, and a wrong port is told", async () => {
    const cwd = await folder()
    const session = await runNode([cli.path, "--timeline", "a.html"], { cwd, input: "shell 'echo hi'\n" })
    expect([session.status, session.stderr]).toEqual([
      2,
      "stepline: --timeline is for `stepline run` and `stepline TOOL`, not for a session.\n",
    ])
    const port = await runLine(["ui", "--port", "x"], { cwd })
    expect([port.status, port.stderr]).toEqual([
      2,
      "stepline: --port x: expected a port, 0 for any that is free\n",
    ])
  })
})
