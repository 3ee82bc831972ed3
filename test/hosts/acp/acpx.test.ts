// @module-tag waits
/** `stepline acp` driven by acpx, another project's client for the terminal. */
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { readFile, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { useCli } from "../../cli/built-cli.ts"
import { useTempFolder } from "../../io/temp-folder.ts"
import { isAlive } from "../../support/is-alive.ts"

const packageFile = createRequire(import.meta.url).resolve("acpx/package.json")
const client = join(dirname(packageFile), "dist/cli.js")

const cli = useCli()
const path = useTempFolder()

/** What acpx is started with, to have these calls made. */
const argumentsFor = (policy: string, calls: ReadonlyArray<object>): ReadonlyArray<string> => [
  client,
  ...["--agent", `'${process.execPath}' '${cli.path}' acp --no-discovery`],
  ...["--cwd", path(), policy, "exec", calls.map((call) => JSON.stringify(call)).join("\n")],
]

/** What it shows. `status`: it ends with 5 where all that it was asked for was denied. */
const acpx = (policy: string, calls: ReadonlyArray<object>, status = 0): Promise<string> =>
  new Promise((resolve, reject) => {
    execFile(process.execPath, argumentsFor(policy, calls), (error, stdout, stderr) => {
      if ((error?.code ?? 0) === status) resolve(stdout)
      else reject(error ?? new Error(`acpx ended well, and not with ${status}:\n${stdout}${stderr}`))
    })
  })

const shell = (command: string) => ({ name: "shell", params: { command } })

describe("acpx", () => {
  it("shows what tools gave and the diff of an edit, saves it, and runs an approved command in a terminal", async () => {
    await writeFile(path("a.txt"), "one\n")
    const edits = [{ old_string: "one", new_string: "two" }]
    const shown = await acpx("--approve-all", [
      { name: "read_file", params: { path: "a.txt" } },
      { name: "edit_file", params: { path: "a.txt", edits } },
      shell("echo made > made.txt"),
    ])
    expect(shown).toMatch(/\[tool\] Read file: a\.txt \(completed\)\n {2}kind: read\n[\s\S]* 1│one\n/)
    expect(shown).toContain("[client] session/request_permission (running)")
    expect(shown).toContain("[client] fs/write_text_file (running)")
    expect(shown).toContain(`diff ${path("a.txt")}`)
    expect(await readFile(path("a.txt"), "utf8")).toBe("two\n")
    expect(shown).toContain("[client] terminal/create (running)")
    expect(shown).toMatch(/\[tool\] Shell: echo made > made\.txt \(completed\)/)
    expect(await readFile(path("made.txt"), "utf8")).toBe("made\n")
    expect(shown).toMatch(/\[done\] end_turn\n$/)
  })

  it("keeps what it denies from running", async () => {
    const shown = await acpx("--deny-all", [shell("touch made.txt")], 5)
    expect(shown).toMatch(/\(failed\)[\s\S]*Denied by user/)
    expect(existsSync(path("made.txt"))).toBe(false)
  })

  it("cancels a command when it is interrupted", async () => {
    const command = "echo $$ > pid.new; mv pid.new pid; exec sleep 1000"
    const child = spawn(process.execPath, argumentsFor("--approve-all", [shell(command)]), {
      stdio: ["ignore", "pipe", "inherit"],
    })
    let shown = ""
    for await (const chunk of child.stdout.setEncoding("utf8")) {
      shown += chunk
      // The terminal's output is asked for again and again.
      if (!child.killed && existsSync(path("pid"))) child.kill("SIGINT")
    }
    if (child.exitCode === null) await once(child, "exit")
    expect(shown).toMatch(/\(failed\)[\s\S]*Cancelled[\s\S]*\[done\] cancelled\n$/)
    const pid = Number(await readFile(path("pid"), "utf8"))
    await expect.poll(() => isAlive(pid)).toBe(false)
  })
})
