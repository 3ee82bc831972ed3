// @module-tag waits
/** What stands in the place of a file that is read before anybody is asked: a pipe, a device, a folder, a huge file. */
import { execFileSync } from "node:child_process"
import { mkdir, symlink, truncate, writeFile } from "node:fs/promises"
import { dirname } from "node:path"
import { beforeEach, describe, expect, it } from "vitest"
import { makeFifo } from "../io/fifo.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { runNode, useCli } from "./built-cli.ts"

const cli = useCli()
const path = useTempFolder()
const env = () => ({ HOME: path("home"), PATH: process.env.PATH, XDG_STATE_HOME: path("state") })

beforeEach(async () => {
  for (const folder of ["home", "project", "state"]) await mkdir(path(folder))
})

const stepline = (args: ReadonlyArray<string>, input = "") =>
  runNode([cli.path, ...args], { cwd: path("project"), input, env: env() })

/** All that is read of a folder, and of the user's own, before a call. */
const files = [
  "project/.stepline/rules.toml",
  "project/.omp/plugin-overrides.json",
  "project/.omp/tools/a.ts",
  "project/.pi/extensions/b/package.json",
  "project/.pi/extensions/c.ts",
  "project/package.json",
  "project/tsconfig.json",
  "project/.gitignore",
  "home/.stepline/trust.json",
  "home/.omp/plugins/omp-plugins.lock.json",
  "home/.claude/plugins/installed_plugins.json",
  "state/stepline/history",
]

const others: ReadonlyArray<readonly [string, (file: string) => unknown]> = [
  ["pipes", makeFifo],
  ["devices", (file) => symlink("/dev/zero", file)],
  ["folders", (file) => mkdir(file)],
  [
    "huge files",
    async (file) => {
      await writeFile(file, "")
      await truncate(file, 2 ** 40)
    },
  ],
]

const script = '{"name":"shell","params":{"command":"echo fine"}}'

const commands: ReadonlyArray<readonly [args: ReadonlyArray<string>, input: string]> = [
  [["tools"], ""],
  [["--yes", "shell", "echo fine"], ""],
  [["plan", "some_tool"], ""],
  [["run", "-", "--yes"], script],
  [[], ""],
  [["serve"], ""],
  [["mcp"], ""],
  [["acp"], ""],
]

it.each(others)("%s in the place of what a folder brings keep no command waiting", async (what, make) => {
  for (const file of files) {
    await mkdir(dirname(path(file)), { recursive: true })
    await make(path(file))
  }
  for (const [args, input] of what === "pipes" ? commands : commands.slice(0, 2)) {
    const { stdout, status } = await stepline(args, input)
    expect([args, status]).not.toEqual([args, null])
    if (args.includes("--yes")) expect(stdout).toContain("fine")
  }
})

describe("a named file", () => {
  it.each(["--rules", "--config"])("%s is said to be none where it is a pipe", async (option) => {
    makeFifo(path("named.toml"))
    const { status, stderr } = await stepline([option, path("named.toml"), "shell", "ls"])
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: `stepline: Cannot read ${path("named.toml")}: it is no regular file\n`,
    })
  })

  it("of the user's rules stops the command where it cannot be read", async () => {
    await mkdir(path("home/.stepline"))
    makeFifo(path("home/.stepline/rules.toml"))
    const { status, stderr } = await stepline(["shell", "ls"])
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: `stepline: Cannot read ${path("home/.stepline/rules.toml")}: it is no regular file\n`,
    })
  })

  it("of a tool or a log may be no pipe either, and a script may", async () => {
    makeFifo(path("tool.ts"))
    makeFifo(path("log"))
    expect((await stepline(["tools", "--tool-path", path("tool.ts")])).stderr).toContain(
      `${path("tool.ts")} is not a regular file`,
    )
    expect((await stepline(["--log", path("log"), "--yes", "shell", "ls"])).stderr).toContain(
      `stepline: --log ${path("log")}: it is no regular file\n`,
    )
    makeFifo(path("script"))
    const given = stepline(["run", path("script"), "--yes"])
    execFileSync("bash", ["-c", 'printf %s "$1" > "$0"', path("script"), script])
    expect((await given).stdout).toContain("fine")
  })
})
