// @module-tag waits
/** `stepline replay`: calls that a store has recorded, decided anew. */
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { once } from "node:events"
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import Database from "libsql"
import { beforeEach, describe, expect, it, onTestFinished } from "vitest"
import { type DurableExecutor, openDurableExecutor } from "../../src/durable/index.ts"
import { connectSql } from "../../src/durable/postgres/sql.ts"
import { readFileTool, shellTool } from "../../src/impls/index.ts"
import { noIde, pipeline, ToolFilters, ToolRegistry } from "../../src/index.ts"
import { describeStores, isShared } from "../durable/stores.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { toolOf } from "../support/executor-of.ts"
import { type CommandResult, useCli } from "./built-cli.ts"
import { useOneProcess } from "./one-process.ts"

const cli = useCli()
const runLine = useOneProcess(cli)

const shell = (callId: string, command: string, more: object = {}) => ({
  callId,
  name: "shell",
  params: { command },
  ...more,
})

const tools = [shellTool, readFileTool, toolOf("elsewhere", () => pipeline().awaitApproval())]

const old = { shell: { allow: ["^echo\\b"], deny: ["^rm\\b"] }, read_file: { deny: ["secret"] } }

describeStores("stepline replay", (path, store) => {
  const replay = (...args: ReadonlyArray<string>): Promise<CommandResult> =>
    runLine(["replay", store(), "--no-discovery", ...args], {
      cwd: path(),
      env: { HOME: path("home"), PATH: process.env.PATH },
    })

  const rules = async (text: string): Promise<ReadonlyArray<string>> => {
    await writeFile(path("rules.toml"), text)
    return ["--rules", "rules.toml"]
  }

  const open = async (): Promise<DurableExecutor> => {
    const filters = ToolFilters.compile(old, { source: "old.toml" })
    const registry = new ToolRegistry(tools)
    const durable = await openDurableExecutor({
      store: store(),
      registry,
      cwd: path(),
      filters,
      delegates: noIde,
    })
    onTestFinished(() => durable.close())
    return durable
  }

  /** Ends each of the calls, after the other; gates are denied but for those whose id begins with `ok`. */
  const record = async (durable: DurableExecutor, calls: ReadonlyArray<object>): Promise<void> => {
    durable.executor.enqueue(calls as Parameters<typeof durable.executor.enqueue>[0])
    let open = calls.length
    for await (const event of durable.executor.events) {
      if (event._tag === "AwaitingApproval") {
        if (event.callId.startsWith("ok")) event.approve()
        else event.deny("no")
      }
      if (["Completed", "Error", "Denied", "Cancelled"].includes(event._tag)) open -= 1
      if (open === 0) return
    }
  }

  beforeEach(() => mkdir(path("home")))

  it("shows what would run by now first, beside the process that runs the calls", async () => {
    const durable = await open()
    await record(durable, [
      shell("echo", "echo one"),
      shell("ok-asked", "true one"),
      shell("refused", "true two", { agentId: "second" }),
      shell("denied", "rm -rf x"),
      shell("same", "rm y"),
    ])
    const more = await rules(`
[[tools.shell.allow]]
pattern = "^true\\\\b"
[[tools.shell.allow]]
pattern = "^rm -rf x$"
[tools.shell]
deny = ["^rm y"]
`)
    const { status, stdout, stderr } = await replay(...more)
    expect(stderr).toBe("")
    const from = `(${path("rules.toml")})`
    expect(stdout).toBe(`\
deny → allow: denied of main: shell {"command":"rm -rf x"}
  before: The deny rule \`^rm\\b\` matches \`rm -rf x\`. (old.toml)
  now: The allow rule \`^rm -rf x$\` matches \`rm -rf x\`. ${from}
ask → allow: refused of second: shell {"command":"true two"}
  before: No allow rule matches \`true two\`. It was denied there.
  now: The allow rule \`^true\\b\` matches \`true two\`. ${from}
ask → allow: ok-asked of main: shell {"command":"true one"}
  before: No allow rule matches \`true one\`.
  now: The allow rule \`^true\\b\` matches \`true one\`. ${from}
allow → ask: echo of main: shell {"command":"echo one"}
  before: The allow rule \`^echo\\b\` matches \`echo one\`. (old.toml)
  now: No allow rule matches \`echo one\`.
5 calls, 4 would be decided otherwise.
`)
    expect(status).toBe(1)
    // The calls still run here.
    await record(durable, [shell("later", "echo later")])
  })

  it("says of one agent what it says of it alone, as JSON", async () => {
    await record(await open(), [
      shell("a", "rm a", { agentId: "second" }),
      shell("b", "rm b"),
      { callId: "read", name: "read_file", params: { path: "secret.txt" } },
    ])
    const { status, stdout } = await replay("--agent", "second", "--json", "--allow", "shell=^rm a$")
    expect(status).toBe(1)
    const lines = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(lines).toEqual([
      {
        callId: "a",
        agentId: "second",
        name: "shell",
        at: expect.any(Number),
        params: '{"command":"rm a"}',
        old: { verdict: "deny", rule: "^rm\\b", source: "old.toml", because: expect.any(String) },
        new: { verdict: "allow", rule: "^rm a$", source: "--allow", because: expect.any(String) },
      },
      { calls: 1, different: 1, undecided: {} },
    ])
  })

  it("finds nothing under the same rules, and says what it cannot decide", async () => {
    const durable = await open()
    await record(durable, [
      shell("echo", "echo one"),
      shell("denied", "rm x"),
      shell("refused", "true two"),
      shell("brought", "true three", { decision: "approve" }),
      shell("dropped", "true four", { decision: "deny" }),
      { callId: "read", name: "read_file", params: { path: "secret.txt" } },
      { callId: "missing", name: "read_file", params: { path: "missing.txt" } },
      { callId: "ok-there", name: "elsewhere" },
      { callId: "nowhere", name: "nowhere" },
      { callId: "resolve", name: "resolve", params: { action: "discard", reason: "no" } },
      { callId: "wrong", name: "shell", params: { commands: "x" } },
    ])
    await writeFile(path("old.json"), JSON.stringify({ tools: old }))
    const { status, stdout, stderr } = await replay("--config", "old.json")
    expect(stderr).toBe("")
    expect(stdout).toBe(`\
11 calls, none would be decided otherwise.
Not decided: 1 call of a tool that is not here (elsewhere).
Not decided: 2 calls of which the store does not have the parameters.
Not decided: 1 call of \`resolve\`, which is decided about the call that made the preview.
`)
    expect(status).toBe(0)
  })

  it("takes a call without a gate for one that ran, until a rule denies it", async () => {
    await writeFile(path("plain.txt"), "plain")
    await record(await open(), [
      { callId: "read", name: "read_file", params: { path: "plain.txt" } },
      { callId: "missing", name: "read_file", params: { path: "plain/missing.txt" } },
    ])
    expect(await replay()).toMatchObject({ status: 0, stdout: "2 calls, none would be decided otherwise.\n" })
    const { status, stdout } = await replay("--deny", "read_file=plain")
    expect(stdout).toContain("allow → deny: read of main")
    expect(stdout).toContain("allow → deny: missing of main")
    expect(status).toBe(1)
  })

  it("reads page after page, and shows of each difference no more than a line", async () => {
    const command = `rm ${"x".repeat(5000)}`
    const calls = Array.from({ length: 600 }, (_, index) =>
      shell(`call-${index}`, index === 0 ? command : "rm y"),
    )
    await record(await open(), calls)
    const { stdout } = await replay("--json", "--allow", "shell=^rm x+$", "--deny", "shell=^rm y$")
    const [difference, counts] = stdout.split("\n")
    expect(JSON.parse(difference!).params).toHaveLength(201)
    expect(JSON.parse(counts!)).toEqual({ calls: 600, different: 1, undecided: {} })
  })

  it("leaves out what began earlier", async () => {
    const durable = await open()
    await record(durable, [shell("before", "rm a")])
    const since = new Date(Date.now() + 1).toISOString()
    await expect.poll(() => Date.now() > Date.parse(since)).toBe(true)
    await record(durable, [shell("after", "rm a")])
    const { stdout } = await replay("--since", since, "--json")
    expect(stdout).toContain('"callId":"after"')
    expect(stdout).not.toContain('"callId":"before"')
    expect((await replay("--since", "2 days", "--json")).stdout).toContain('"calls":2')
  })

  it.each([
    [
      ["--since", "yesterday"],
      '--since yesterday: expected a time such as 2026-01-31T12:00Z, or how long ago, such as "2 days"',
    ],
    [["--rules", "none.toml"], /Cannot read .*none\.toml: /],
    [["--deny", "nothing=x"], /^stepline: --deny nothing=x: there is no tool `nothing`/],
  ])("refuses %j", async (args, sentence) => {
    await (await open()).close()
    const { status, stderr } = await replay(...args)
    expect(stderr).toMatch(sentence)
    expect(status).toBe(2)
  })

  it("refuses where there is no store", async () => {
    const { status, stderr } = await replay()
    expect(stderr).toMatch(/^stepline: There is no store at .* yet: start what runs its calls first\.\n$/)
    expect(status).toBe(2)
  })

  it("leaves the version of an older store as it is", async () => {
    const durable = await open()
    await record(durable, [shell("denied", "rm x")])
    await durable.close()
    await using version = await versionOf(store())
    await version.set(1)
    expect(await replay()).toMatchObject({ status: 1, stdout: expect.stringContaining("deny → ask: denied") })
    expect(await version.get()).toBe(1)
  })
})

/** The version of a store, as its database has it. */
const versionOf = async (store: string) => {
  if (!isShared(store)) {
    const database = new Database(store)
    return {
      set: async (version: number) => void database.exec(`PRAGMA user_version = ${version}`),
      get: async () => Object.values(database.prepare("PRAGMA user_version").get() as object)[0] as number,
      [Symbol.asyncDispose]: async () => void database.close(),
    }
  }
  const sql = await connectSql(store, 1)
  return {
    set: (version: number) => sql`UPDATE stepline_meta SET value = ${version} WHERE key = 'version'`,
    get: async () => {
      const [row] = await sql<[{ value: number }]>`SELECT value FROM stepline_meta WHERE key = 'version'`
      return row.value
    },
    [Symbol.asyncDispose]: () => sql.end(),
  }
}

describe("stepline replay", () => {
  const path = useTempFolder()
  const env = () => ({ ...process.env, HOME: path("home") })
  const replay = () => runLine(["replay", "calls.db", "--no-discovery"], { cwd: path("project"), env: env() })

  beforeEach(() => mkdir(path("project")))

  it("reads a store of 0.2 without a change to its file", async () => {
    const store = path("project/calls.db")
    await copyFile(fileURLToPath(new URL("../durable/fixtures/0.2.0.db", import.meta.url)), store)
    const hash = async () =>
      createHash("sha256")
        .update(await readFile(store))
        .digest("hex")
    const before = await hash()
    const { status, stdout } = await replay()
    expect(stdout).toMatch(/^\d+ calls, none would be decided otherwise\.\nNot decided: /)
    expect(status).toBe(0)
    expect(await hash()).toBe(before)
  })

  it("decides what `run` asks about while it asks, with the rules that it would take", async () => {
    const calls = [shell("first", "touch one"), shell("second", "touch two")]
    await writeFile(path("project/calls.jsonl"), calls.map((call) => JSON.stringify(call)).join("\n"))
    const args = ["run", "calls.jsonl", "--durable", "calls.db", "--json", "--no-discovery"]
    const run = spawn(process.execPath, [cli.path, ...args], {
      cwd: path("project"),
      env: env(),
      stdio: ["ignore", "pipe", "inherit"],
    })
    const ended = once(run, "close")
    onTestFinished(async () => {
      run.kill("SIGKILL")
      await ended
    })
    for await (const line of createInterface({ input: run.stdout })) {
      if (line.includes("AwaitingApproval")) break
    }
    expect(await replay()).toMatchObject({ status: 0, stdout: "1 call, none would be decided otherwise.\n" })
    await mkdir(path("home/.stepline"), { recursive: true })
    const rules = '[tools.shell]\nallow = ["^touch one$"]\n'
    await writeFile(path("home/.stepline/rules.toml"), rules, { mode: 0o600 })
    const { status, stdout } = await replay()
    expect(stdout).toContain('ask → allow: first of main: shell {"command":"touch one"}')
    expect(status).toBe(1)
  })
})
