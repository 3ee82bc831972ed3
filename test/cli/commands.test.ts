// @module-tag waits
import { spawn } from "node:child_process"
import { once } from "node:events"
import { access, mkdir, mkdtemp, open, readFile, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { type CommandOptions, type CommandResult, checkout, runNode, useCli } from "./built-cli.ts"
import { useOneProcess } from "./one-process.ts"

const cli = useCli()
const runLine = useOneProcess(cli)
let cwd: string

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "stepline-cli-"))
})

afterEach(() => rm(cwd, { recursive: true, force: true }))

const stepline = (args: ReadonlyArray<string>, options: CommandOptions = {}): Promise<CommandResult> =>
  runNode([cli.path, ...args], { cwd, ...options })

/** Beside others in one process, with nothing on its stdin. */
const line = (args: ReadonlyArray<string>, options: Omit<CommandOptions, "input"> = {}) =>
  runLine(args, { cwd, ...options })

const shell = (command: string, more: object = {}): string =>
  JSON.stringify({ name: "shell", params: { command }, ...more })

/** With the calls on stdin. */
const runInput = (lines: ReadonlyArray<string>, ...args: ReadonlyArray<string>): Promise<CommandResult> =>
  stepline(["run", ...args, "-"], { input: lines.join("\n") })

const run = async (
  lines: ReadonlyArray<string>,
  args: ReadonlyArray<string> = [],
  env = process.env,
): Promise<CommandResult> => {
  await writeFile(join(cwd, "calls.jsonl"), lines.join("\n"))
  return line(["run", ...args, "calls.jsonl"], { env })
}

const eventsOf = ({ stdout }: CommandResult): Array<Record<string, unknown>> =>
  stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))

const isThere = (name: string): Promise<boolean> =>
  access(join(cwd, name)).then(
    () => true,
    () => false,
  )

test("run --code lets code call the other tools, each at its own gate", async () => {
  await writeFile(join(cwd, "a.txt"), "hello\n")
  const source = `const text = await tools.read_file({ path: "a.txt" })
    try { await tools.write_file({ path: "b.txt", content: text }) } catch (error) { return [text, error.name] }`
  const call = JSON.stringify({ callId: "c", name: "run_code", params: { source } })
  const result = await run([call], ["--code", "--json", "--allow", "run_code=."])
  const ends = eventsOf(result).filter(({ _tag }) => _tag === "Completed" || _tag === "Denied")
  expect(ends).toMatchObject([
    { _tag: "Completed", callId: "c/1", parentId: "c", name: "read_file" },
    { _tag: "Denied", callId: "c/2", parentId: "c", name: "write_file" },
    { _tag: "Completed", callId: "c", content: '["   1│hello","ToolDenied"]' },
  ])
  expect(await isThere("b.txt")).toBe(false)
  // The code has caught the denial.
  expect(result.status).toBe(0)
})

describe("run", () => {
  test("shows a block for each call and ends with 0", async () => {
    await writeFile(join(cwd, "a.txt"), "hello\n")
    const file = join(cwd, "calls.jsonl")
    await writeFile(file, `# Look\n{"name": "read_file", "params": {"path": "a.txt"}}\n`)
    const { status, stdout, stderr } = await stepline(["run", file])
    expect(stdout.replace(/ [\d.]+s$/m, "")).toBe("── Look\n✓ read_file(a.txt)\n     1│hello\n")
    expect(stderr).toBe("")
    expect(status).toBe(0)
  })

  test("without a terminal nothing is approved that no rule approves, whatever the script says", async () => {
    const result = await runInput([shell("touch a"), shell("touch b", { decision: "approve" })])
    expect(result.stdout).toContain(
      "Denied: no rule allows this call and there is no terminal to ask on. Allow it with --allow shell=REGEX, or all with --yes.",
    )
    expect([await isThere("a"), await isThere("b")]).toEqual([false, false])
    expect(result.status).toBe(3)
  })

  test("an allow rule for everything is warned of", async () => {
    const { status, stderr } = await run([shell("ls")], ["--allow", "shell=.*"])
    expect(stderr).toBe(
      "stepline: The allow pattern `.*` of tool `shell` (--allow) approves whatever no deny rule stops, but for commands that only a rule which names them approves: options that write or run something, redirections, other folders. Name what may run unasked instead.\n",
    )
    expect(status).toBe(0)
  })

  test("--allow, --deny and --config decide, and deny wins", async () => {
    await writeFile(join(cwd, "rules.toml"), "[tools.shell]\nallow = ['^touch\\b']\ndeny = ['\\bc$']\n")
    const lines = [shell("touch a"), shell("mkdir b"), shell("touch c"), shell("touch d")]
    const rules = ["--config", "rules.toml", "--allow", "shell=^mkdir\\b", "--deny", "shell=d$"]
    const result = await run(lines, rules)
    expect(await Promise.all(["a", "b", "c", "d"].map(isThere))).toEqual([true, true, false, false])
    expect(result.status).toBe(3)
  })

  test("--yes approves what is asked, and nothing that a rule denies", async () => {
    const result = await run([shell("touch a"), shell("touch b")], ["--yes", "--deny", "shell=b$"])
    expect([await isThere("a"), await isThere("b")]).toEqual([true, false])
    expect(result.status).toBe(3)
  })

  test("--cwd is where the tools work", async () => {
    await writeFile(join(cwd, "calls.jsonl"), shell("touch here"))
    await line(["run", "--yes", "--cwd", cwd, join(cwd, "calls.jsonl")], { cwd: checkout })
    expect(await isThere("here")).toBe(true)
  })

  test("calls of one agent run in order, and a wait holds what is below it", async () => {
    const result = await run(
      [
        shell("sleep 0.2; echo slow", { callId: "slow", background: true }),
        shell("echo one"),
        '{"wait": "slow"}',
        '{"name": "get_background_task", "params": {"task_id": "slow"}}',
      ],
      ["--yes"],
    )
    expect(result.stdout).toMatch(
      /⚙ \[bg\] shell\(.*\n {2}Running in background \(task_id: slow\)\n[\s\S]*✓ shell\(echo one\)[\s\S]*✓ get_background_task\(slow\)(?: [\d.]+s)?\n {2}Task slow \(shell\) \[Complete\]:\n {2}slow\n/,
    )
    expect(result.status).toBe(0)
  })

  test("an edit is shown with its diff", async () => {
    await writeFile(join(cwd, "a.txt"), "one\ntwo\n")
    const edit = {
      name: "edit_file",
      params: { path: "a.txt", edits: [{ old_string: "two", new_string: "2" }] },
    }
    const { stdout } = await run([JSON.stringify(edit)], ["--yes"])
    expect(stdout).toContain(
      "  Successfully applied 1 edit(s) to a.txt\n  @@ -1,2 +1,2 @@\n   one\n  -two\n  +2\n",
    )
    expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("one\n2\n")
  })

  test("resolve applies a preview, and the preview that nobody resolves is dropped and named", async () => {
    await writeFile(join(cwd, "a.ts"), "net(1)\n")
    const edit = (pattern: string, replacement: string) =>
      JSON.stringify({ name: "ast_edit", params: { ops: [{ pattern, replacement }], paths: ["a.ts"] } })
    const apply = JSON.stringify({ name: "resolve", params: { action: "apply", reason: "With tax" } })
    const script = [edit("net($A)", "gross($A)"), apply, edit("gross($A)", "tax($A)")]
    const denied = await run([edit("net($A)", "gross($A)"), apply])
    expect(denied.stdout).toContain(
      "no rule allows this call and there is no terminal to ask on. Allow it with --allow ast_edit=REGEX, or all with --yes.\n",
    )
    expect([denied.status, await readFile(join(cwd, "a.ts"), "utf8")]).toEqual([3, "net(1)\n"])
    const shown = await run(script, ["--allow", "ast_edit=^a\\.ts$"])
    expect(shown.stdout).toMatch(
      /✓ resolve\(apply\)(?: [\d.]+s)?\n {2}Accept: Replace .*\n {2}Reason: With tax\n/,
    )
    expect(shown.stderr).toBe("stepline: 1 preview was not applied: Replace gross($A) with tax($A) in a.ts\n")
    expect(shown.status).toBe(0)
    expect(await readFile(join(cwd, "a.ts"), "utf8")).toBe("gross(1)\n")

    await writeFile(join(cwd, "a.ts"), "net(1)\n")
    const events = eventsOf(await run(script, ["--json", "--yes"]))
    const actions = events.filter(({ actionId }) => actionId !== undefined)
    expect(actions.map(({ _tag, outcome }) => outcome ?? _tag)).toEqual([
      "ActionPending",
      "applied",
      "ActionPending",
      "dropped",
    ])
  })

  test("the exit status tells failure from denial, and what the script expects counts as success", async () => {
    const denied = shell("true", { decision: "deny" })
    const statuses = [
      [denied],
      [denied, '{"name": "nothing"}'],
      [shell("true", { decision: "deny", expect: "denied" })],
    ]
    const ended: Array<number | null> = []
    for (const lines of statuses) ended.push((await run(lines)).status)
    expect(ended).toEqual([3, 1, 0])
  })

  test("commands have no secrets but those that are named", async () => {
    const env = { ...process.env, SOME_TOKEN: "some", OTHER_TOKEN: "other" }
    const calls = [shell('echo "[$SOME_TOKEN] [$OTHER_TOKEN]"')]
    const { stdout } = await run(calls, ["--yes", "--pass-env", "SOME_TOKEN"], env)
    expect(stdout).toContain("  [some] []\n")
  })

  test("a command that ends otherwise than with 0 is a failure, unless the script expects it", async () => {
    const failed = await run([shell("exit 3")], ["--yes"])
    expect(failed.stdout.replace(/ [\d.]+s$/m, "")).toBe("✗ shell(exit 3)\n  [exit code: 3]\n")
    expect(failed.status).toBe(1)
    const expected = await run([shell("exit 3", { expect: { exitCode: 3 } })], ["--yes"])
    expect(expected.status).toBe(0)
    const background = await run([shell("exit 3", { background: true })], ["--yes"])
    expect(background.stdout).toMatch(/^✗ \[bg\] shell\(exit 3\)(?: [\d.]+s)?\n {2}\[exit code: 3\]$/m)
    expect(background.status).toBe(1)
  })

  test("a line that is no call stops everything before anything runs", async () => {
    const { status, stdout, stderr } = await runInput([shell("touch a"), "{not json}"], "--yes")
    expect(stderr).toMatch(/^stepline: stdin, line 2: .*JSON/)
    expect(stdout).toBe("")
    expect(status).toBe(2)
    expect(await isThere("a")).toBe(false)
  })

  test("a reader of the output that goes away ends the run quietly, and what runs", async () => {
    const child = spawn(process.execPath, [cli.path, "run", "--yes", "--json", "-"], { cwd })
    let stderr = ""
    child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text))
    child.stdin.end(shell("while true; do echo x; sleep 0.01; done"))
    child.stdout.once("data", () => child.stdout.destroy())
    const [status] = await once(child, "close")
    expect(stderr).toBe("")
    expect(status).toBe(141)
  })

  test("SIGINT cancels what runs, runs its cleanup and ends with the status of the signal", async () => {
    const child = spawn(process.execPath, [cli.path, "run", "--yes", "--json", "-"], { cwd })
    let stdout = ""
    const started = new Promise<void>((resolve) => {
      child.stdout.setEncoding("utf8").on("data", (text) => {
        stdout += text
        if (stdout.includes('"Delta"')) resolve()
      })
    })
    child.stdin.end(`${shell("echo $$; sleep 600")}\n${shell("touch later")}`)
    await started
    child.kill("SIGINT")
    const [status] = await once(child, "close")
    expect(status).toBe(130)
    const pid = Number(/"content":"(\d+)/.exec(stdout)![1])
    expect(() => process.kill(pid, 0)).toThrow("ESRCH")
    expect(stdout.match(/"_tag":"Cancelled"/g)).toHaveLength(2)
    expect(await isThere("later")).toBe(false)
  })
})

describe("tools", () => {
  test("lists every tool with its parameters", async () => {
    const { stdout, status } = await line(["tools"])
    expect(stdout).toMatch(/^read_file\n {2}.*\n {4}path +string +.*\n {4}start_line +integer\? /)
    expect(status).toBe(0)
  })

  test("--json gives the definitions that a model is given", async () => {
    const tools = JSON.parse((await line(["tools", "--json"])).stdout)
    expect(tools.map((tool: { name: string }) => tool.name)).toContain("shell")
    expect(tools[0].parameters.properties.path.type).toBe("string")
  })
})

describe("plan", () => {
  test("shows the pipeline, and nothing of it runs", async () => {
    const { stdout, status } = await line(["plan", "shell", '{"command": "touch a"}'])
    expect(stdout).toBe("shell(touch a)\n  1  awaitApproval  ← a gate\n  2  Shell\n")
    expect(status).toBe(0)
    expect(await isThere("a")).toBe(false)
  })

  test.each([
    [["--allow", "shell=^(ls|rm)"], "It runs unasked: The allow rule `^(ls|rm)` matches `rm x`."],
    [["--deny", "shell=^rm"], "It is denied: The deny rule `^rm` matches `rm x`."],
  ])("says with %j what the rules make of it", async (options, verdict) => {
    const { stdout } = await line(["plan", "shell", '{"command": "ls && rm x"}', ...options])
    expect(stdout).toBe(`shell(ls && rm x)\n  1  awaitApproval  ← a gate\n  2  Shell\n${verdict}\n`)
  })

  test("--config holds for it too", async () => {
    await writeFile(join(cwd, "rules.toml"), '[tools.shell]\ndeny = ["^rm"]\n')
    const { stdout } = await line(["plan", "shell", '{"command": "rm x"}', "--config", "rules.toml"])
    expect(stdout).toContain("It is denied: The deny rule `^rm` matches `rm x`.")
  })

  test("--mermaid draws it", async () => {
    const { stdout } = await line(["plan", "shell", '{"command": "ls"}', "--mermaid"])
    expect(stdout).toMatch(/^flowchart TD\n {2}start\(\["shell\(ls\)"\]\)\n/)
  })

  test.each([
    [["plan", "shel"], "stepline: There is no tool `shel`. Tools: read_file,"],
    [["plan", "shell", "{"], "stepline: The parameters are not JSON:"],
    [["plan", "shell", "{}"], 'stepline: Validation failed for tool "shell":\n  - '],
  ])("%j is a mistake that is told", async (args, message) => {
    const { stderr, status } = await line(args)
    expect(stderr).toContain(message)
    expect(status).toBe(2)
  })
})

describe("the command line", () => {
  // The device is Linux's.
  test
    .skipIf(process.platform !== "linux")
    .each([[["tools"]], [["run", "calls.jsonl"]], [["verify-log", "empty.log"]], [["--help"]]])(
    "%j says so, and fails, where its output cannot be written",
    async (args) => {
      await writeFile(join(cwd, "a.txt"), "hello\n")
      await writeFile(join(cwd, "calls.jsonl"), '{"name": "read_file", "params": {"path": "a.txt"}}')
      await writeFile(join(cwd, "empty.log"), "")
      const full = await open("/dev/full", "w")
      try {
        const child = spawn(process.execPath, [cli.path, ...args], {
          cwd,
          stdio: ["ignore", full.fd, "pipe"],
        })
        const [stderr, [status]] = await Promise.all([text(child.stderr!), once(child, "close")])
        expect(stderr).toBe(
          "stepline: the output cannot be written: ENOSPC: no space left on device, write\n",
        )
        expect(status).toBe(1)
      } finally {
        await full.close()
      }
    },
  )

  test.skipIf(process.platform !== "linux")(
    "a timeline that its file has no space for is told, fails, and leaves the device's mode",
    async () => {
      const { mode } = await stat("/dev/full")
      const args = ["--yes", "--timeline", "/dev/full", "shell", "echo hi"]
      const { status, stderr } = await line(args)
      expect([status, stderr]).toEqual([
        1,
        "stepline: --timeline /dev/full: ENOSPC: no space left on device, write\n",
      ])
      expect((await stat("/dev/full")).mode).toBe(mode)
    },
  )

  test("help is what --help shows", async () => {
    const run = await line(["help", "run"])
    expect(run).toEqual(await line(["run", "--help"]))
    expect(run.stdout).toMatch(/Exit status:[\s\S]*3 {2}no call failed, but one was denied/)
    const { stdout } = await line(["help"])
    expect(stdout).toContain("help [COMMAND]")
    expect(stdout).toBe((await line(["--help"])).stdout)
    const rows = stdout.trimEnd().split("\n")
    expect(rows.length).toBeLessThanOrEqual(40)
    expect(rows.filter((row) => row.length > 80)).toEqual([])
    // It names every command that its own list has.
    const all = (await line(["help", "options"])).stdout
    const names = [...all.slice(all.indexOf("Commands:")).matchAll(/^ {2}([a-z-]+) /gm)].map(
      ([, name]) => name!,
    )
    expect(names).toContain("verify-log")
    expect(names.filter((name) => !new RegExp(`^ {2}(ui, )?${name}\\b`, "m").test(stdout))).toEqual([])
    expect(all).toContain("--pass-env <NAME>")
  })

  test("--version", async () => {
    const { version } = JSON.parse(await readFile(join(checkout, "package.json"), "utf8"))
    expect((await stepline(["--version"])).stdout).toBe(`${version}\n`)
  })

  test.each([
    [["rnu"], "stepline: There is no command or tool `rnu`. Commands: run, serve, ui, tools, "],
    [["help", "rnu"], "stepline: There is no command `rnu`. Commands: run, serve, ui, tools, "],
    [
      ["read_file", "a", "1", "2", "3"],
      "stepline: read_file takes at most 3 arguments, got 4. Usage: read_file PATH",
    ],
    [["--json"], "stepline: --json is for `stepline run` and `stepline TOOL`, not for a session's lines."],
    [["--yes", "tools"], "error: option '--yes' is not for the command 'tools'"],
    [["run"], "error: missing required argument 'FILE'"],
    [
      ["--nvim", "run", "-"],
      "error: the command 'run' was taken for the value of an option: put it in front",
    ],
    [["run", "--alow", "x", "-"], "error: unknown option '--alow'"],
    [["run", "no.jsonl"], "stepline: Cannot read no.jsonl: there is no such file"],
    [["run", "--cwd", "nowhere", "-"], "stepline: --cwd nowhere: there is no such folder"],
    [["run", "nul.jsonl"], "stepline: Cannot read nul.jsonl: it is no text"],
    [["inbox", "--store", "nul.jsonl/calls.db"], "a part of its path is a file, and no folder"],
    [["run", "--rules", "nul.jsonl", "-"], "/nul.jsonl: it is no text"],
    [["run", "--log", ".", "-"], "stepline: --log .: it is a folder, and a file is wanted"],
    [["run", "--timeline", ".", "-"], "stepline: --timeline .: it is a folder, and a file is wanted"],
    [["inbox", "--store", "."], "it is a folder, and a file is wanted"],
    [
      ["run", "--durable", "nowhere/calls.db", "-"],
      "nowhere/calls.db: its folder is not there, so make that first",
    ],
    [
      ["verify-log", "nowhere"],
      "stepline: Cannot read nowhere: there is no such file. Give the file that --log has written.",
    ],
  ])("%j is a mistake that is told", async (args, message) => {
    await writeFile(join(cwd, "nul.jsonl"), "a\0b")
    const { stderr, stdout, status } = await line(args)
    expect(stderr).toContain(message)
    expect(stdout).toBe("")
    expect(status).toBe(2)
  })

  test("options without anything that they could be for are a mistake that is told", async () => {
    const { stderr, stdout, status } = await stepline(["--allow", "shell=x"])
    expect(stderr).toContain("error: there is nothing on stdin that these options could be for")
    expect([stdout, status]).toEqual(["", 2])
  })

  test("a mistake in what somebody else wrote is told without its control characters", async () => {
    const { stderr, status } = await stepline(["run", "-"], { input: "\u001b]0;title\u0007{" })
    expect(stderr).toMatch(/^stepline: stdin, line 1: /)
    expect(stderr).not.toMatch(/[\u001b\u0007]/)
    expect(status).toBe(2)
  })

  test("options in front of a command hold for it, beside those behind", async () => {
    const input = [shell("touch a"), shell("touch b"), shell("touch c")].join("\n")
    const rules = ["--allow", "shell=^touch", "--deny", "shell=a$"]
    const args = [...rules, "--cwd", cwd, "run", "-", "--deny", "shell=b$"]
    const { status } = await stepline(args, { cwd: checkout, input })
    expect(await Promise.all(["a", "b", "c"].map(isThere))).toEqual([false, false, true])
    expect(status).toBe(3)
  })

  test("--no-discovery in front of a command loads nothing", async () => {
    await mkdir(join(cwd, ".omp/tools"), { recursive: true })
    await writeFile(join(cwd, ".omp/tools/a.js"), "console.error('it ran')")
    expect((await line(["--no-discovery", "tools", "--trust"])).stderr).toBe("")
    expect((await line(["tools", "--trust"])).stderr).toContain("it ran")
  })

  test("alone, without a terminal and without a tour beside it, shows its help", async () => {
    const { stdout, status } = await stepline([])
    expect(stdout).toMatch(/^Usage: stepline/)
    expect(status).toBe(0)
  })
})

describe("one call", () => {
  test("is a tool's name and its arguments, as a shell has told them apart", async () => {
    const { status, stdout, stderr } = await stepline([
      "--allow",
      "shell=^echo",
      "shell",
      "echo   hi",
      "there",
    ])
    expect(stdout.replace(/ [\d.]+s$/m, "")).toBe("✓ shell(echo   hi there)\n  hi there\n")
    expect([status, stderr]).toEqual([0, ""])
  })

  test("passes on what looks like an option, and takes words with JSON behind them", async () => {
    const { stdout } = await line(["--yes", "shell", "printf", "%s", "--yes"])
    expect(stdout).toContain("\n  --yes\n")
    await writeFile(join(cwd, "my file.txt"), "one\n")
    const edits = JSON.stringify({ edits: [{ old_string: "one", new_string: "two" }] })
    const edited = await line(["--yes", "edit_file", "my file.txt", edits])
    expect(edited.stdout).toContain("Successfully applied 1 edit(s) to my file.txt")
    expect(await readFile(join(cwd, "my file.txt"), "utf8")).toBe("two\n")
  })

  test("without a terminal is denied where no rule allows it, and says so with its status", async () => {
    const { status, stdout } = await line(["shell", "touch a"])
    expect(stdout).toContain("Denied: no rule allows this call and there is no terminal to ask on.")
    expect(status).toBe(3)
    expect(await isThere("a")).toBe(false)
  })

  test("with --json is told in events", async () => {
    const result = await line(["--yes", "--json", "shell", "echo hi"])
    expect(eventsOf(result).at(-1)).toMatchObject({ _tag: "Completed", content: "hi\n" })
  })
})

describe("the lines of a session on stdin", () => {
  const lines = (input: string, ...args: ReadonlyArray<string>) =>
    stepline(args, { input, env: { ...process.env, TERM: "dumb" } })

  test("run one after the other, with the session's commands, and are denied what no rule allows", async () => {
    const { status, stdout } = await lines(
      "shell echo one\n!echo two\nshell touch a\n\n/tasks\nread_file nowhere.txt",
      "--allow",
      "shell=^echo",
    )
    expect(stdout.replace(/ [\d.]+s$/gm, "")).toMatch(
      /^✓ shell\(echo one\)\n {2}one\n✓ shell\(echo two\)\n {2}two\n⊘ shell\(touch a\)\n {2}Denied: no rule allows this call[^\n]*\nNo background tasks\.\n✗ read_file\(nowhere\.txt\)\n/,
    )
    expect(status).toBe(1)
    expect(await isThere("a")).toBe(false)
  })

  test("wait for what they started in the background", async () => {
    const { status, stdout } = await lines(
      "shell until [ -e go ]; do sleep 0.05; done; echo late &\nshell echo early\nshell touch go",
      "--yes",
    )
    expect(stdout).toMatch(/Running in background \(task_id: 1\)\n[\s\S]* {2}early\n[\s\S]* {2}late\n/)
    expect(status).toBe(0)
  })

  test("wait for what their last line starts in the background, also for its gate", async () => {
    const { status, stdout } = await lines("shell echo late &", "--yes")
    expect(stdout).toMatch(/Running in background \(task_id: 1\)\n[\s\S]* {2}late\n/)
    expect(status).toBe(0)
    expect(await lines("shell echo late &")).toMatchObject({
      status: 3,
      stdout: expect.stringContaining("Denied: no rule allows this call"),
    })
  })

  test("apply a preview, and name one that they leave", async () => {
    await writeFile(join(cwd, "a.ts"), "net(1)\n")
    const edit = (pattern: string, replacement: string) =>
      `ast_edit ${JSON.stringify({ ops: [{ pattern, replacement }], paths: ["a.ts"] })}`
    const { stdout, stderr, status } = await lines(
      `${edit("net($A)", "gross($A)")}\n/apply\n${edit("gross($A)", "tax($A)")}\n`,
      "--yes",
    )
    expect(stdout).toContain("/apply makes these changes, /discard drops them.\n✓ resolve(apply)")
    expect(stderr).toMatch(/^stepline: not applied: .*\n$/)
    expect(await readFile(join(cwd, "a.ts"), "utf8")).toBe("gross(1)\n")
    expect(status).toBe(0)
  })

  test("that mean nothing are told, and fail the run", async () => {
    const { stdout, status } = await lines("shel ls\n/take\nshell echo on", "--yes")
    expect(stdout).toMatch(/^There is no tool shel\. Tools: [^\n]*\nUsage: \/take ID\n✓ shell\(echo on\)/)
    expect(status).toBe(1)
  })
})

test("the tour of this checkout runs to its expected end, whatever rules its user keeps, and leaves the checkout as it was", async () => {
  await mkdir(join(cwd, ".stepline"))
  const rules = '[tools.write_file]\nallow = ["surprise"]\n[tools.edit_file]\ndeny = ["."]\n'
  await writeFile(join(cwd, ".stepline/rules.toml"), rules)
  const source = join(checkout, "src/cli.ts")
  const tsx = import.meta.resolve("tsx")
  const { stdout, stderr, status } = await runNode(
    ["--conditions=@stepline/source", "--import", tsx, source],
    { cwd, env: { ...process.env, HOME: cwd } },
  )
  expect(stderr).toBe("")
  for (const part of [
    /✓ read_file\(package\.json\)/,
    /⚙ \[bg\] shell\(.*\n {2}Running in background \(task_id: count\)/,
    /Successfully applied 2 edit\(s\)[\s\S]*\n {2}-.*\n {2}\+/,
    /⊘ shell\(ls && rm -rf src\)(?: [\d.]+s)?\n {2}Denied by policy/,
    /✓ get_background_task\(count\)(?: [\d.]+s)?\n {2}Task count \(shell\) \[Complete\]:/,
  ]) {
    expect(stdout).toMatch(part)
  }
  expect(status).toBe(0)
  await expect(access(join(checkout, "surprise.txt"))).rejects.toThrow("ENOENT")
})
