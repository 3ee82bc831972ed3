/** `stepline acp` driven by acpx, another project's client for the terminal. */
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { beforeEach, describe, expect, it } from "vitest"
import { useCli } from "../../cli/built-cli.ts"

const packageFile = createRequire(import.meta.url).resolve("acpx/package.json")
const client = join(dirname(packageFile), "dist/cli.js")

const cli = useCli()
let cwd: string

beforeEach(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), "stepline-acpx-")))
  return () => rm(cwd, { recursive: true, force: true })
})

/** What acpx is started with, to have these calls made. It keeps its sessions in the home folder. */
const started = (policy: string, calls: ReadonlyArray<object>) => ({
  args: [
    client,
    ...["--agent", `'${process.execPath}' '${cli.path}' acp --no-discovery`],
    ...["--cwd", cwd, policy, "exec", calls.map((call) => JSON.stringify(call)).join("\n")],
  ],
  options: { env: { ...process.env, HOME: cwd } },
})

/** What it shows. `status`: it ends with 5 where all that it was asked for was denied. */
const acpx = (policy: string, calls: ReadonlyArray<object>, status = 0): Promise<string> => {
  const { args, options } = started(policy, calls)
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, options, (error, stdout, stderr) => {
      if ((error?.code ?? 0) === status) resolve(stdout)
      else reject(error ?? new Error(`acpx ended well, and not with ${status}:\n${stdout}${stderr}`))
    })
  })
}

const shell = (command: string) => ({ name: "shell", params: { command } })

describe("acpx", () => {
  it("shows what a tool gave", async () => {
    await writeFile(join(cwd, "a.txt"), "one\n")
    const shown = await acpx("--deny-all", [{ name: "read_file", params: { path: "a.txt" } }])
    expect(shown).toMatch(/\[tool\] Read file: a\.txt \(completed\)\n {2}kind: read\n[\s\S]* 1│one\n/)
    expect(shown).toMatch(/\[done\] end_turn\n$/)
  })

  it("is asked for an edit, whose diff it shows, and saves it", async () => {
    await writeFile(join(cwd, "a.txt"), "one\n")
    const edits = [{ old_string: "one", new_string: "two" }]
    const shown = await acpx("--approve-all", [{ name: "edit_file", params: { path: "a.txt", edits } }])
    expect(shown).toContain("[client] session/request_permission (running)")
    expect(shown).toContain("[client] fs/write_text_file (running)")
    expect(shown).toContain(`diff ${join(cwd, "a.txt")}`)
    expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("two\n")
  })

  it("runs an approved command in a terminal of its own", async () => {
    const shown = await acpx("--approve-all", [shell("echo made > made.txt")])
    expect(shown).toContain("[client] terminal/create (running)")
    expect(shown).toMatch(/\[tool\] Shell: echo made > made\.txt \(completed\)/)
    expect(await readFile(join(cwd, "made.txt"), "utf8")).toBe("made\n")
  })

  it("keeps what it denies from running", async () => {
    const shown = await acpx("--deny-all", [shell("touch made.txt")], 5)
    expect(shown).toMatch(/\(failed\)[\s\S]*Denied by user/)
    expect(await readdir(cwd)).not.toContain("made.txt")
  })

  it("cancels a command when it is interrupted", async () => {
    const command = "echo $$ > pid.new; mv pid.new pid; exec sleep 1000"
    const { args, options } = started("--approve-all", [shell(command)])
    const child = spawn(process.execPath, args, { ...options, stdio: ["ignore", "pipe", "inherit"] })
    let shown = ""
    for await (const chunk of child.stdout.setEncoding("utf8")) {
      shown += chunk
      // The terminal's output is asked for again and again.
      if (!child.killed && existsSync(join(cwd, "pid"))) child.kill("SIGINT")
    }
    if (child.exitCode === null) await once(child, "exit")
    expect(shown).toMatch(/\(failed\)[\s\S]*Cancelled[\s\S]*\[done\] cancelled\n$/)
    const pid = Number(await readFile(join(cwd, "pid"), "utf8"))
    expect(() => process.kill(pid, 0)).toThrow("ESRCH")
  })
})
