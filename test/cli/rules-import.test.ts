// @module-tag waits
/** `stepline rules import`: a file of rules that `run` takes. */
import { execFile } from "node:child_process"
import { access, mkdir, readFile, stat, writeFile } from "node:fs/promises"
import { promisify } from "node:util"
import { beforeEach, expect, it } from "vitest"
import { ToolFilters } from "../../src/policy/index.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { plainEnvironment, useCli } from "./built-cli.ts"
import { useOneProcess } from "./one-process.ts"

const cli = useCli()
const runLine = useOneProcess(cli)
const path = useTempFolder()

const stepline = (...args: ReadonlyArray<string>) =>
  runLine(args, { cwd: path(), env: { HOME: path("home"), PATH: process.env.PATH } })

beforeEach(() => mkdir(path("home")))

const settings = {
  permissions: {
    allow: ["Bash(echo:*)", "Edit(/src/**)", "mcp__github"],
    ask: ["Bash(echo secret *)"],
    deny: ["Read(./.env)", "Bash(ls *)"],
  },
}

/** How each of these commands ends under a file of rules. */
const endsOf = async (rules: string, commands: ReadonlyArray<string>) => {
  const lines = commands.map((command, at) =>
    JSON.stringify({ callId: String(at), name: "shell", params: { command } }),
  )
  await writeFile(path("calls.jsonl"), lines.join("\n"))
  const { stdout, stderr } = await stepline(
    "run",
    "calls.jsonl",
    "--json",
    "--no-discovery",
    "--rules",
    rules,
  )
  expect(stderr).toBe("")
  const ends: Record<string, string> = {}
  for (const line of stdout.trim().split("\n")) {
    const event = JSON.parse(line) as { _tag: string; callId?: string; by?: string }
    if (/^(Completed|Denied)$/.test(event._tag)) ends[commands[Number(event.callId)]!] = event.by ?? "ran"
  }
  return ends
}

it("makes a file of the settings of Claude Code that run takes, and says what became of each rule", async () => {
  await mkdir(path(".claude"))
  await writeFile(path(".claude/settings.json"), JSON.stringify(settings))
  const { status, stdout, stderr } = await stepline(
    "rules",
    "import",
    ".claude/settings.json",
    "--out",
    "new/rules.toml",
  )
  expect(stderr).toBe("")
  expect(stdout).toBe(`\
narrower: deny Read(./.env)
  A command that names such a file, in any folder, is denied too.
same: deny Bash(ls *)
asked: ask Bash(echo secret *)
  No rule here allows it.
narrower: allow Bash(echo:*)
  Only in plain lines, without redirections, expansions, variables and the like; options with which a program writes or runs something are asked.
narrower: allow Edit(/src/**)
  Only what surely matches: of a path that begins with no slash, what lies in this folder; hidden files are asked.
asked: allow mcp__github
  No server is trusted by what is imported. To allow it, write a rule for \`mcp__github__*\`.
6 rules: 3 narrower, 1 same, 2 asked. stepline run --rules new/rules.toml takes them.
`)
  expect(status).toBe(0)
  expect((await stat(path("new/rules.toml"))).mode & 0o777).toBe(0o600)
  expect(
    await endsOf("new/rules.toml", [
      "echo a",
      "echo secret x",
      "echo a > b",
      "ls",
      "head .env",
      "echo $HOME",
    ]),
  ).toEqual({
    "echo a": "ran",
    "echo secret x": "user",
    "echo a > b": "user",
    ls: "policy",
    "head .env": "policy",
    "echo $HOME": "user",
  })
  const before = await readFile(path("new/rules.toml"), "utf8")
  expect(before).toMatch(/^# From \.claude\/settings\.json\n\n\[/)
  const again = await stepline("rules", "import", ".claude/settings.json", "--out", "new/rules.toml")
  expect(again).toMatchObject({
    status: 2,
    stderr: "stepline: --out new/rules.toml: there is such a file. Give the name of a new one\n",
  })
  expect(await readFile(path("new/rules.toml"), "utf8")).toBe(before)
})

it("makes a file of the rules of Codex, which run takes, and to which answers are added", async () => {
  await writeFile(
    path("default.rules"),
    'prefix_rule(pattern = ["echo"])\nprefix_rule(pattern = ["ls", "-a"], decision = "forbidden")\n',
  )
  const { status, stdout } = await stepline(
    "rules",
    "import",
    "default.rules",
    "--out",
    "rules.toml",
    "--json",
  )
  expect(JSON.parse(stdout)).toEqual({
    rules: {
      shell: { allow: [{ pattern: "^echo(?: [^]*)?$", line: "plain" }], deny: ["^ls -a(?: [^]*)?$"] },
    },
    report: [expect.objectContaining({ status: "narrower" }), expect.objectContaining({ status: "same" })],
  })
  expect(status).toBe(0)
  expect(await endsOf("rules.toml", ["echo a && echo b", "set -e; echo a", "ls -a"])).toEqual({
    "echo a && echo b": "ran",
    "set -e; echo a": "user",
    "ls -a": "policy",
  })
  const filters = ToolFilters.empty()
  filters.remember({ name: "shell", primaryParam: "command", primaryKind: "command" }, { command: "cat a" })
  await filters.save(path("rules.toml"))
  expect(await endsOf("rules.toml", ["echo a", "ls -a"])).toEqual({ "echo a": "ran", "ls -a": "policy" })
})

it.each([
  ["missing.json", "", /^stepline: Cannot read missing\.json: /],
  ["a.json", "[]", /^stepline: a\.json: Expected the settings to be an object with `permissions`\n$/],
  [
    "a.txt",
    "hello",
    /^stepline: a\.txt: expected the settings of Claude Code \(settings\.json\), or rules of Codex/,
  ],
])("refuses %s", async (file, text, sentence) => {
  if (text !== "") await writeFile(path(file), text)
  expect(await stepline("rules", "import", file)).toMatchObject({
    status: 2,
    stdout: "",
    stderr: expect.stringMatching(sentence),
  })
})

it("leaves no file of rules that could not be written to its end", async () => {
  await writeFile(path("settings.json"), JSON.stringify(settings))
  const args = [cli.path, "rules", "import", "settings.json", "--out", "rules.toml"]
  const limited = ["-c", 'trap "" XFSZ; ulimit -f 0; exec "$@"', "bash", process.execPath, ...args]
  const { code, stderr } = await promisify(execFile)("bash", limited, {
    cwd: path(),
    env: plainEnvironment(process.env),
  }).catch((error) => error)
  expect([code, stderr]).toEqual([2, "stepline: --out rules.toml: it is larger than such a file may be\n"])
  await expect(access(path("rules.toml"))).rejects.toThrow("ENOENT")
})
