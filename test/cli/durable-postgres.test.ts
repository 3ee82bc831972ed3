// @module-tag waits
/** `--durable postgres://…` where another process has the agents that are called for. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { writeFile } from "node:fs/promises"
import { createInterface } from "node:readline"
import type { Readable } from "node:stream"
import { text } from "node:stream/consumers"
import { expect, it, onTestFinished } from "vitest"
import { openDurableExecutor } from "../../src/durable/index.ts"
import { connectSql } from "../../src/durable/postgres/sql.ts"
import { ToolRegistry } from "../../src/index.ts"
import { PseudoTerminal } from "../hosts/terminal/pseudo-terminal.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { usePostgres } from "../servers/postgres.ts"
import { describeWith } from "../support/needs.ts"
import { plainEnvironment, useCli } from "./built-cli.ts"

const waiting =
  "stepline: another process has the agent main, or has died with it: it is waited for a few seconds."

const lineOf = async (stream: Readable): Promise<string> => {
  const [line] = (await once(createInterface({ input: stream }), "line")) as [string]
  return line
}

describeWith("postgres")("--durable, in Postgres:", () => {
  const path = useTempFolder()
  const cli = useCli()
  const server = usePostgres()

  /** A store in which a process that shows no life has the agent `main`, until it `dies`. */
  const haunted = async () => {
    const store = await server.database()
    // Makes the tables.
    await (await openDurableExecutor({ store, registry: new ToolRegistry([]) })).close()
    const sql = await connectSql(store, 1)
    onTestFinished(() => sql.end())
    await sql.run(`
      INSERT INTO stepline_runners (id, expires_at) VALUES (1000, now() + interval '1 hour');
      INSERT INTO stepline_agents (agent_id, runner) VALUES ('main', 1000)`)
    return { store, dies: () => sql.run("DELETE FROM stepline_runners WHERE id = 1000") }
  }

  const start = (...args: ReadonlyArray<string>) => {
    const child = spawn(process.execPath, [cli.path, ...args], {
      cwd: path(),
      env: plainEnvironment({ ...process.env, HOME: path() }),
      stdio: ["ignore", "pipe", "pipe"],
    })
    const ended = once(child, "close")
    onTestFinished(async () => {
      child.kill("SIGKILL")
      await ended
    })
    return { child, ended }
  }

  const session = (store: string) =>
    new PseudoTerminal([cli.path, "--durable", store, "--no-discovery"], {
      cwd: path(),
      env: { ...process.env, HOME: path() },
      columns: 120,
    })

  it("`run` waits for what a process had that shows no life, and goes on once that is over", async () => {
    const { store, dies } = await haunted()
    await writeFile(path("calls.jsonl"), '{"name": "shell", "params": {"command": "echo two"}}')
    const { child, ended } = start("run", "calls.jsonl", "--durable", store, "--yes")
    const stdout = text(child.stdout)
    expect(await lineOf(child.stderr)).toBe(waiting)
    await dies()
    expect(await stdout).toMatch(/^✓ shell\(echo two\).*\n {2}two\n$/)
    expect((await ended)[0]).toBe(0)
  })

  it("a session does so before it opens, and runs what is typed then", async () => {
    const { store, dies } = await haunted()
    await using terminal = session(store)
    await terminal.see(waiting)
    await dies()
    await terminal.see("/help")
    terminal.enter("shell echo $((40 + 2))")
    await terminal.see("[y]es")
    terminal.type("y")
    await terminal.see(/✓ shell\(echo[\s\S]*42/)
    terminal.control("d")
    expect(await terminal.exited).toBe(0)
  })

  it("a session says in which store a call waits, and not with which password", async () => {
    const store = new URL(await server.database())
    store.password = "open-sesame"
    await using terminal = session(store.href)
    await terminal.see("/help")
    terminal.enter("shell true")
    await terminal.see("[y]es")
    terminal.control("d")
    await terminal.see(`1 call waits in ${store.host}${store.pathname}.`, "everything")
    expect(await terminal.exited).toBe(0)
    expect(terminal.screen()).not.toContain("open-sesame")
  })

  it("a session that is stopped meanwhile does not open", async () => {
    const { store } = await haunted()
    await using terminal = session(store)
    await terminal.see(waiting)
    terminal.control("c")
    expect(await terminal.exited).toBe(130)
    expect(terminal.screen()).not.toContain("/help")
  })

  it("`ui` does so before it tells of its page", async () => {
    const { store, dies } = await haunted()
    const { child, ended } = start("ui", "--durable", store, "--no-discovery")
    const url = lineOf(child.stdout)
    expect(await lineOf(child.stderr)).toBe(waiting)
    await dies()
    expect(await url).toMatch(/^http:/)
    child.kill()
    expect((await ended)[0]).toBe(143)
  })

  it("`ui` that is stopped meanwhile serves no page", async () => {
    const { store } = await haunted()
    const { child, ended } = start("ui", "--durable", store, "--no-discovery")
    const stdout = text(child.stdout)
    expect(await lineOf(child.stderr)).toBe(waiting)
    child.kill()
    expect((await ended)[0]).toBe(143)
    expect(await stdout).toBe("")
  })
})
