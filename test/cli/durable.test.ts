// @module-tag waits
/** `stepline run --durable`, killed and started again, and `stepline inbox` in a second process. */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { readFile, writeFile } from "node:fs/promises"
import { createInterface } from "node:readline"
import { text } from "node:stream/consumers"
import { promisify } from "node:util"
import { beforeEach, expect, it } from "vitest"
import { useTempFolder } from "../io/temp-folder.ts"
import { runNode, useCli } from "./built-cli.ts"

const path = useTempFolder()
const cli = useCli()
const home = () => ({ ...process.env, HOME: path() })

const start = (...options: ReadonlyArray<string>): ChildProcess =>
  spawn(process.execPath, [cli.path, "run", "calls.jsonl", "--durable", "calls.db", "--json", ...options], {
    cwd: path(),
    env: home(),
    stdio: ["ignore", "pipe", "pipe"],
  })

const inbox = (...args: ReadonlyArray<string>) =>
  promisify(execFile)(process.execPath, [cli.path, "inbox", "--store", "calls.db", ...args], {
    cwd: path(),
    env: home(),
  })

type Line = { readonly _tag: string; readonly callId?: string; readonly name?: string }

const linesUntil = async (child: ChildProcess, tag: string, count: number): Promise<Array<Line>> => {
  const lines: Array<Line> = []
  for await (const text of createInterface({ input: child.stdout! })) {
    lines.push(JSON.parse(text) as Line)
    if (lines.filter(({ _tag }) => _tag === tag).length === count) break
  }
  return lines
}

beforeEach(async () => {
  const calls = [
    { name: "shell", params: { command: "echo one >> out.txt" } },
    { callId: "named", name: "shell", params: { command: "echo two >> out.txt" } },
  ]
  await writeFile(path("calls.jsonl"), calls.map((call) => JSON.stringify(call)).join("\n"))
})

it("goes on where it was killed, and is answered from elsewhere", async () => {
  const first = start()
  const [asked] = (await linesUntil(first, "AwaitingApproval", 1)).slice(-1)
  const id = asked!.callId!
  expect(id).toMatch(/^line-1-[0-9a-f]{8}$/)
  expect((await inbox()).stdout).toContain(
    `${id} of main: shell {"command":"echo one >> out.txt"} waits for an approval`,
  )
  first.kill("SIGKILL")
  await once(first, "exit")

  const second = start()
  const reading = linesUntil(second, "AwaitingApproval", 2)
  expect((await inbox("--approve", id)).stdout).toBe(`${id} is approved.\n`)
  expect((await reading).map(({ _tag, callId }) => `${callId} ${_tag}`)).toContain(`${id} Completed`)
  expect(await readFile(path("out.txt"), "utf8")).toBe("one\n")
  second.kill("SIGKILL")
  await once(second, "exit")

  const third = start()
  const exited = once(third, "exit")
  const told = linesUntil(third, "never", 1)
  const late = await inbox("--approve", id).catch((error: { readonly code: number }) => error)
  expect(late).toMatchObject({ code: 1 })
  expect((await inbox("--approve", "named")).stdout).toBe("named is approved.\n")
  expect((await exited)[0]).toBe(0)
  const ends = (await told).filter(({ _tag }) => _tag === "Completed").map(({ callId }) => callId)
  expect(ends).toEqual(["named"])
  expect(await readFile(path("out.txt"), "utf8")).toBe("one\ntwo\n")
  expect((await inbox()).stdout).toBe("Nothing waits for an answer.\n")
})

it("shows a call that is found interrupted once, whole, and under its heading", async () => {
  const command = "echo begun; exec sleep 600"
  await writeFile(
    path("calls.jsonl"),
    `# Wait long\n${JSON.stringify({ callId: "long", name: "shell", params: { command } })}\n`,
  )
  const first = start("--yes")
  await linesUntil(first, "Delta", 1)
  first.kill("SIGKILL")
  await once(first, "exit")
  const again = () =>
    runNode([cli.path, "run", "calls.jsonl", "--durable", "calls.db"], { cwd: path(), env: home() })
  const second = await again()
  expect(second.stdout.replace(/ [\d.]+s$/m, "")).toBe(
    `── Wait long\n✗ shell(${command})\n  Interrupted: the process ended while Shell ran. It may have run, wholly or in part: look before you call it again.\n`,
  )
  expect(second).toMatchObject({ status: 1, stderr: "" })
  const third = await again()
  expect(third).toMatchObject({ status: 1, stdout: "" })
  expect(third.stderr).toContain("long has ended before (error: Interrupted: ")
})

it("refuses a store that another run has, and one that is not there", async () => {
  const first = start()
  await linesUntil(first, "AwaitingApproval", 1)
  const second = start()
  // What it says may be read after its exit.
  const [said, [status]] = await Promise.all([text(second.stderr!), once(second, "close")])
  expect(status).toBe(2)
  expect(said).toContain("is in use: another process runs its calls.")
  first.kill("SIGKILL")
  await once(first, "exit")
  await expect(inbox("--store", "none.db")).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining("There is no store at"),
  })
})

it("refuses an address of another kind of store", async () => {
  const child = spawn(process.execPath, [cli.path, "run", "calls.jsonl", "--durable", "mysql://h/db"], {
    cwd: path(),
    env: home(),
    stdio: ["ignore", "pipe", "pipe"],
  })
  const [stderr, [status]] = await Promise.all([text(child.stderr!), once(child, "close")])
  expect(stderr).toBe(
    "stepline: --durable: There are no stores of mysql:// here. Expected a file, such as sqlite:./calls.db, or postgres://user:password@host:5432/database\n",
  )
  expect(status).toBe(2)
})

it("keeps an answer that nobody can take yet, says so, and refuses two answers at once", async () => {
  const first = start()
  await linesUntil(first, "AwaitingApproval", 1)
  first.kill("SIGKILL")
  await once(first, "exit")
  const args = [cli.path, "inbox", "--store", "calls.db"]
  const options = { cwd: path(), env: home() }
  const both = spawn(process.execPath, [...args, "--approve", "named", "--deny", "named"], options)
  expect((await once(both, "exit"))[0]).toBe(2)
  const denying = spawn(process.execPath, [...args, "--deny", "named", "--reason", "not that"], options)
  const [said] = (await once(denying.stderr, "data")) as [Buffer]
  expect(String(said)).toContain(
    "the answer to named is stored, and waits for a process that runs these calls",
  )
  denying.kill("SIGKILL")
  await once(denying, "exit")
  const second = start()
  const [asked] = (await linesUntil(second, "AwaitingApproval", 1)).slice(-1)
  expect((await inbox("--deny", asked!.callId!)).stdout).toContain("is denied")
  second.kill("SIGKILL")
  await once(second, "exit")
})
