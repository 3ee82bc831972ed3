// @module-tag waits
/** What `a` at a gate stores, from one session to the next. */
import { access, mkdir, readFile, realpath, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { beforeEach, describe, expect, it } from "vitest"
import { ToolFilters } from "../../src/policy/index.ts"
import { writeFiles } from "../custom-tools/loading/write-files.ts"
import { PseudoTerminal } from "../hosts/terminal/pseudo-terminal.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { type CommandResult, useCli } from "./built-cli.ts"
import { useOneProcess } from "./one-process.ts"

const cli = useCli()
const runLine = useOneProcess(cli)
const path = useTempFolder()
const project = (name = "project") => path(name)
const home = () => path("home")
const own = () => join(home(), ".stepline/rules.toml")
const ofProject = () => join(project(), ".stepline/rules.toml")

const shell = { name: "shell", primaryParam: "command", primaryKind: "command" } as const

beforeEach(async () => {
  for (const folder of [home(), project(), project("other")]) await mkdir(folder)
})

const env = () => ({ HOME: home(), PATH: process.env.PATH })

const stepline = (args: ReadonlyArray<string>, cwd = project()): Promise<CommandResult> =>
  runLine(args, { cwd, env: env() })

const terminal = (args: ReadonlyArray<string>, cwd = project()) =>
  new PseudoTerminal([cli.path, ...args], { cwd, env: env(), columns: 160 })

/** Answers `a` to one call. */
const always = async (command: string, args: ReadonlyArray<string> = []): Promise<string> => {
  await using asked = terminal([...args, "shell", command])
  await asked.see(/\[y\]es \[n\]o \[a\]lways/)
  asked.type("a")
  expect(await asked.exited).toBe(0)
  return asked.everything()
}

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  )

const approves = async (file: string, command: string, cwd = project()): Promise<boolean> =>
  (await ToolFilters.load(file, { cwd })).evaluate(shell, { command }) === "approve"

describe("what a person remembers at a gate", () => {
  it("is kept for its user alone, holds in later commands there, and nowhere else", async () => {
    await always("touch x")
    expect((await stat(own())).mode & 0o777).toBe(0o600)
    expect((await stat(join(home(), ".stepline"))).mode & 0o777).toBe(0o700)
    const log = path("log.jsonl")
    expect((await stepline(["--log", log, "shell", "touch x"])).status).toBe(0)
    const [line] = (await readFile(log, "utf8")).split("\n")
    expect(JSON.parse(line!)).toMatchObject({ by: "rule", rule: '{"command":"touch x"}', source: own() })
    expect((await stepline(["shell", "touch y"])).status).toBe(3)
    expect((await stepline(["shell", "touch x"], project("other"))).status).toBe(3)
    expect(await exists(ofProject())).toBe(false)
  })

  it("is shown in a session with the file that will hold it, before it does", async () => {
    await using session = terminal([])
    await session.see("/help shows")
    session.enter("shell touch x && touch y")
    await session.see(/\[y\]es \[n\]o \[a\]lways/)
    session.type("a")
    await session.see("Approve it, and from now on without asking (kept in ~/.stepline/rules.toml):")
    expect(await session.see("each of its commands")).toContain("^touch x$  ^touch y$")
    expect(await exists(own())).toBe(false)
    session.type("2")
    await session.see("› 2. each of its commands")
    session.type("\r")
    await session.see("✓ shell(touch x && touch y)", "everything")
    session.control("D")
    expect(await session.exited).toBe(0)
    expect(await approves(own(), "touch y; touch x")).toBe(true)
    expect(await approves(own(), "touch z")).toBe(false)
  })

  it("is kept while the call runs, and there after the session was killed", async () => {
    await using asked = terminal(["shell", "touch x; sleep 600"])
    await asked.see(/\[y\]es \[n\]o \[a\]lways/)
    asked.type("a")
    await expect.poll(() => approves(own(), "touch x; sleep 600")).toBe(true)
    process.kill(asked.pid, "SIGKILL")
    await asked.exited
    expect(await approves(own(), "touch x; sleep 600")).toBe(true)
  })

  it("goes into the file of --rules instead, which may be in a project", async () => {
    await always("touch x", ["--rules", "my.toml"])
    expect(await exists(own())).toBe(false)
    expect(await approves(join(project(), "my.toml"), "touch x")).toBe(true)
    expect((await stepline(["--rules", "my.toml", "shell", "touch x"])).status).toBe(0)
    expect((await stepline(["shell", "touch x"])).status).toBe(3)
    const plan = await stepline(["plan", "--rules", "my.toml", "shell", '{"command":"touch x"}'])
    expect(plan.stdout).toContain(
      'It runs unasked: An allow rule is for this very call: `{"command":"touch x"}`.',
    )
  })

  it("is not taken for a file without rules by `plan`, where there is no such file", async () => {
    const plan = ["plan", "--rules", "none.toml", "shell", '{"command":"touch x"}']
    expect(await stepline(plan)).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^stepline: Cannot read .*none\.toml: .*\. Give the file of rules\.\n$/),
    })
  })

  it("of two processes at once is all kept", async () => {
    const commands = ["touch a", "touch b"]
    await Promise.all(commands.map((command) => always(command)))
    for (const command of commands) expect(await approves(own(), command)).toBe(true)
  })
})

describe("a rule file of the user's own", () => {
  it("that cannot be read stops the command: what it denies would not hold", async () => {
    await writeFiles(home(), { ".stepline/rules.toml": "[tools.shell" })
    const { status, stderr } = await stepline(["--yes", "shell", "touch x"])
    expect(status).toBe(2)
    expect(stderr).toContain(`stepline: ${own()}: Invalid TOML document`)
    expect(await exists(join(project(), "x"))).toBe(false)
  })

  it("says which of its deny rules are for a tool that is not there", async () => {
    await writeFiles(home(), { ".stepline/rules.toml": "[tools.shel]\ndeny = ['rm']\nallow = ['.*']\n" })
    const { stderr } = await stepline(["shell", "touch x"])
    expect(stderr).toContain(`stepline: ${own()}: there is no tool \`shel\` here to deny.\n`)
  })

  it("does not count in the very folder that the tools work in", async () => {
    await writeFiles(home(), { ".stepline/rules.toml": "[tools.shell]\nallow = ['.*']\n" })
    const { status, stderr } = await stepline(["shell", "touch x"], home())
    expect(status).toBe(3)
    expect(stderr).toContain("lies in the very folder that the tools work in, and does not count.")
  })
})

const broughtRules = "[[tools.shell.allow]]\npattern = '^touch '\n"

/** Trusts what the project brings, at the terminal. */
const trust = async () => {
  await using asked = terminal(["tools"])
  await asked.see("Load it, now and until it changes?")
  asked.enter("y")
  expect(await asked.exited).toBe(0)
}

describe("the rules that a project brings", () => {
  beforeEach(() => writeFiles(project(), { ".stepline/rules.toml": broughtRules }))

  it("approve nothing while nobody trusts them, and a line says so", async () => {
    const { status, stderr } = await stepline(["shell", "touch x"])
    expect(status).toBe(3)
    expect(stderr).toContain(
      "stepline: left out the rules of this folder, because nobody has trusted it: .stepline/rules.toml. --trust loads it this time.\n",
    )
    expect((await stepline(["--no-discovery", "--trust", "shell", "touch x"])).status).toBe(3)
    expect((await stepline(["--trust", "shell", "touch x"])).status).toBe(0)
    expect((await stepline(["shell", "touch x"])).status).toBe(3)
  })

  it("are shown before they are trusted, and hold until they change", async () => {
    {
      await using asked = terminal(["tools"])
      const screen = await asked.see("Load it, now and until it changes?")
      expect(screen).toContain(`${await realpath(project())} brings rules of its own:`)
      expect(screen).toContain("allows shell: ^touch␣")
      asked.enter("y")
      await asked.exited
    }
    expect((await stepline(["shell", "touch x"])).status).toBe(0)
    await writeFile(ofProject(), broughtRules.replace("touch ", ""))
    const changed = await stepline(["shell", "rm x"])
    expect(changed.status).toBe(3)
    expect(changed.stderr).toContain(
      "left out the rules of this folder, because it has changed since it was trusted",
    )
  })

  it("take up what is remembered there, without being asked about again, from several processes too", async () => {
    await trust()
    const commands = ["mkdir a", "mkdir b", "mkdir c"]
    await Promise.all(commands.map((command) => always(command)))
    const text = await readFile(ofProject(), "utf8")
    expect(text.startsWith(broughtRules)).toBe(true)
    for (const command of commands) expect(await approves(ofProject(), command)).toBe(true)
    const { status, stderr } = await stepline(["shell", "mkdir -p d"])
    expect([status, stderr.includes("left out")]).toEqual([3, false])
    expect(await exists(own())).toBe(false)
  })

  it("take up nothing when somebody else has changed them meanwhile", async () => {
    await trust()
    await using asked = terminal(["shell", "mkdir a"])
    await asked.see(/\[y\]es \[n\]o \[a\]lways/)
    const changed = `${broughtRules}\n[[tools.shell.allow]]\npattern = '.*'\n`
    await writeFile(ofProject(), changed)
    asked.type("a")
    expect(await asked.exited).toBe(0)
    expect(asked.everything()).toContain("the rule holds for this time, and is not kept in")
    expect(await readFile(ofProject(), "utf8")).toBe(changed)
    expect((await stepline(["shell", "mkdir -p b"])).status).toBe(3)
  })
})

it("a project that is trusted for its code keeps its rules too", async () => {
  await writeFiles(project(), { ".omp/tools/a.js": "export default () => []" })
  await trust()
  await always("touch x")
  expect(await exists(own())).toBe(false)
  expect(await readFile(ofProject(), "utf8")).toBe(
    `\n[[tools.shell.allow]]\nworkingDir = "${await realpath(project())}"\ncall = ${JSON.stringify('{"command":"touch x"}')}\n`,
  )
  expect((await stepline(["shell", "touch x"])).status).toBe(0)
})
