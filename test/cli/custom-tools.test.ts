// @module-tag waits
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { copyOfPackage } from "../support/built-package.ts"
import { type CommandResult, runNode, useCli } from "./built-cli.ts"

const cli = useCli()
let cwd: string
let home: string

beforeEach(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), "stepline-cli-")))
  home = await realpath(await mkdtemp(join(tmpdir(), "stepline-home-")))
})
afterEach(() => Promise.all([cwd, home].map((folder) => rm(folder, { recursive: true, force: true }))))

const stepline = (args: ReadonlyArray<string>, input = ""): Promise<CommandResult> =>
  runNode([cli.path, ...args], { cwd, input, env: { HOME: home } })

const write = async (path: string, text: string): Promise<void> => {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
}

/** A tool for oh-my-pi that says its word. */
const sayer = (name: string, word: string): string => `export default (api) => ({
  name: "${name}",
  label: "Say",
  description: "Says ${word}",
  parameters: api.typebox.Type.Object({}),
  async execute() { return { content: [{ type: "text", text: "${word}" }] } },
})`

/** A module that prints whenever it runs. */
const noisyTool = async (): Promise<string> => {
  const text = `console.log("import")
    export default (api) => {
      process.stdout.write("factory\\n")
      return {
        name: "noisy", description: "Prints", parameters: api.typebox.Type.Object({}),
        async execute() {
          console.info("call")
          await new Promise((resolve) => setImmediate(resolve))
          process.stdout.write(Buffer.from("later\\n"), () => process.stdout.write("written\\n"))
          return { content: [{ type: "text", text: "quiet" }] }
        },
      }
    }`
  await write(join(cwd, "noisy.ts"), text)
  return "noisy.ts"
}

describe("stepline tools", () => {
  it("lists what lies in the usual places, with its source", async () => {
    await write(join(cwd, ".omp/tools/say.ts"), sayer("say", "hello"))
    await write(join(home, ".omp/agent/tools/shout.js"), sayer("shout", "HELLO"))
    const { stdout, stderr, status } = await stepline(["tools", "--trust"])
    expect({ stderr, status }).toEqual({ stderr: "", status: 0 })
    expect(stdout).toContain("say\n  Says hello\n  from .omp/tools/say.ts (")
    expect(stdout).toContain("shout\n  Says HELLO\n  from ~/.omp/agent/tools/shout.js (")
  })

  it("says on stderr what could not be loaded, and why", async () => {
    await write(join(cwd, ".omp/tools/broken.ts"), "throw new Error('no luck')")
    await write(join(cwd, ".omp/tools/shell.ts"), sayer("shell", "mine"))
    const { stdout, stderr } = await stepline(["tools", "--trust"])
    expect(stderr.split("\n")).toEqual([
      expect.stringMatching(/^stepline: \.omp\/tools\/broken\.ts: Failed to load tool: no luck/),
      'stepline: .omp/tools/shell.ts: Tool name "shell" conflicts with existing tool',
      "",
    ])
    expect(stdout).not.toContain("Says mine")
  })

  it("takes a tool that an extension registers in place of one of ours, and says so", async () => {
    await write(
      join(cwd, ".pi/extensions/notes.ts"),
      `export default (pi) => pi.registerTool({ name: "write_file", description: "Writes with care", parameters: { type: "object", properties: {} }, execute: async () => ({ content: [] }) })`,
    )
    const { stdout } = await stepline(["tools", "--trust"])
    expect(stdout).toContain(
      "write_file\n  Writes with care\n  replaces the tool of that name: from .pi/extensions/notes.ts",
    )
  })

  it("looks nowhere with --no-discovery but where --tool-path says", async () => {
    await write(join(cwd, ".omp/tools/say.ts"), sayer("say", "hello"))
    await write(join(cwd, "mine/shout.ts"), sayer("shout", "HELLO"))
    const { stdout } = await stepline(["tools", "--no-discovery", "--tool-path", "mine", "--json"])
    const names = (JSON.parse(stdout) as Array<{ name: string }>).map(({ name }) => name)
    expect(names).toContain("shout")
    expect(names).not.toContain("say")
  })

  it("names the source of each tool of other agents in its JSON", async () => {
    await write(join(cwd, ".omp/tools/say.ts"), sayer("say", "hello"))
    await write(join(cwd, "mine/shout.ts"), sayer("shout", "HELLO"))
    await write(join(cwd, "broken.ts"), "throw new Error('no luck')")
    const args = ["tools", "--trust", "--json", "--tool-path", "mine", "broken.ts"]
    const { stdout, stderr } = await stepline(args)
    const tools = JSON.parse(stdout) as Array<{ name: string; source?: unknown }>
    expect(tools.filter(({ source }) => source !== undefined)).toMatchObject([
      { name: "say", source: { path: join(cwd, ".omp/tools/say.ts"), provider: "native" } },
      { name: "shout", source: { path: join(cwd, "mine/shout.ts") } },
    ])
    expect(stderr).toBe("stepline: broken.ts: Failed to load tool: no luck\n")
  })

  it("keeps what modules print off its stdout", async () => {
    const { stdout, stderr } = await stepline(["tools", "--json", "--tool-path", await noisyTool()])
    expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ name: "noisy" }))
    expect(stderr).toBe("import\nfactory\n")
  })

  it("ends although a module left a timer behind", async () => {
    await write(join(cwd, ".omp/tools/tick.ts"), `setInterval(() => {}, 1000)\n${sayer("tick", "tock")}`)
    expect((await stepline(["tools", "--trust"])).stdout).toContain("Says tock")
  })
})

describe("stepline TOOL", () => {
  const extension = `process.stderr.write("loaded")
    export default (pi) => {
      pi.on("tool_call", () => ({ block: true, reason: "guarded" }))
      pi.registerTool({ name: "other", description: "", parameters: {}, execute() {
        return { content: [{ type: "text", text: "from other" }] }
      } })
    }`
  beforeEach(() => write(join(home, ".pi/agent/extensions/guard.ts"), extension))

  it("loads nothing for a built-in tool", async () => {
    const { stdout, stderr } = await stepline(["--yes", "shell", "echo here"])
    expect(stdout).toContain("here")
    expect(stderr).toBe("")
  })

  it("does not miss tools that were not looked for, of which kept rules speak", async () => {
    const rules = '[tools.other]\nallow = ["^x$"]\n'
    await write(join(cwd, "kept.toml"), rules)
    expect((await stepline(["--yes", "--rules", "kept.toml", "shell", "echo here"])).stderr).toBe("")
  })

  it.each([
    ["that tool is called", ["other"]],
    ["a rule is for it", ["--deny", "other=x", "shell", "echo here"]],
    ["a file of rules has one", ["--config", "rules.toml", "shell", "echo here"]],
    ["a limit is set", ["--limit", "*=9 at once", "shell", "echo here"]],
    ["a path is given", ["--tool-path", "guard.ts", "--yes", "shell", "echo here"]],
  ])("loads tools of other agents where %s", async (_case, args) => {
    await write(join(cwd, "rules.toml"), '[tools.other]\ndeny = ["x"]\n')
    await write(join(cwd, "guard.ts"), extension)
    const { stdout, stderr } = await stepline(["--yes", ...args])
    expect(stderr).toContain("loaded")
    expect(stdout).toContain("guarded")
  })
})

describe("stepline run", () => {
  it("runs the tools of other agents under the rules of the command line", async () => {
    await write(join(cwd, "say.ts"), sayer("say", "hello"))
    const script = '{"name":"say"}\n{"name":"say","expect":"denied"}'
    const denied = await stepline(["run", "-", "--tool-path", "say.ts"], '{"name":"say"}')
    expect(denied.status).toBe(3)
    const { stdout, status } = await stepline(["run", "-", "--yes", "--tool-path", "say.ts"], script)
    expect(status).toBe(1)
    expect(stdout).toContain("hello")
  })

  it("resolves --tool-path from where it is typed, whatever --cwd says", async () => {
    await write(join(cwd, "say.ts"), sayer("say", "hello"))
    const args = ["run", "-", "--yes", "--cwd", home, "--tool-path", "say.ts"]
    expect((await stepline(args, '{"name":"say"}')).stdout).toContain("hello")
  })

  it("keeps what tools print off the events on its stdout", async () => {
    const args = ["run", "-", "--yes", "--json", "--tool-path", await noisyTool()]
    const { stdout, stderr, status } = await stepline(args, '{"name":"noisy"}')
    expect(status).toBe(0)
    const events = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { _tag: string })
    expect(events.at(-1)).toMatchObject({ _tag: "Completed", content: "quiet" })
    expect(stderr).toBe("import\nfactory\ncall\nlater\nwritten\n")
  })

  it("tells them when the session starts and ends", async () => {
    const log = join(cwd, "log")
    await write(
      join(cwd, ".pi/extensions/log.ts"),
      `import { appendFileSync } from "node:fs"
       export default (pi) => {
         for (const type of ["session_start", "tool_call", "session_shutdown"])
           pi.on(type, () => appendFileSync(${JSON.stringify(log)}, type + "\\n"))
       }`,
    )
    await stepline(["run", "-", "--yes", "--trust"], '{"name":"shell","params":{"command":"true"}}')
    expect(await readFile(log, "utf8")).toBe("session_start\ntool_call\nsession_shutdown\n")
  })

  it("ends at once when it is asked again to stop, whatever still cleans up", async () => {
    await write(
      join(cwd, "hang.ts"),
      `export default (pi) => pi.on("session_shutdown", () => {
         process.stderr.write("hanging")
         return new Promise(() => {})
       })`,
    )
    const child = spawn(process.execPath, [cli.path, "run", "-", "--tool-path", "hang.ts"], {
      cwd,
      env: { HOME: home },
    })
    child.stdin.end("")
    await once(child.stderr, "data")
    const asking = setInterval(() => child.kill("SIGINT"), 100)
    const [status] = await once(child, "exit")
    clearInterval(asking)
    expect(status).toBe(130)
  })

  it("goes on with what could be loaded", async () => {
    const { stderr, stdout, status } = await stepline(
      ["run", "-", "--yes", "--tool-path", "nowhere.ts"],
      '{"name":"shell","params":{"command":"echo here"}}',
    )
    expect(stderr).toBe(
      `stepline: nowhere.ts: Failed to load tool: There is no file ${join(cwd, "nowhere.ts")}\n`,
    )
    expect(stdout).toContain("here")
    expect(status).toBe(0)
  })
})

it("the tour loads nothing of the user's own", async () => {
  const own = await copyOfPackage("tour")
  const examples = join(own, "examples")
  await write(join(examples, "tour.jsonl"), '{"name":"shell","params":{"command":"echo on tour"}}')
  await write(join(examples, "tour.toml"), "[tools.shell]\nallow = ['^echo ']\n")
  await write(join(home, ".omp/agent/tools/broken.ts"), "throw new Error('no luck')")
  const { stdout, stderr, status } = await runNode([join(own, "dist/cli.js")], { cwd, env: { HOME: home } })
  expect(stdout).toContain("on tour")
  expect({ stderr, status }).toEqual({ stderr: "", status: 0 })
})
