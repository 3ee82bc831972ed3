// @module-tag waits
import {
  access,
  chmod,
  cp,
  mkdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises"
import { dirname, join } from "node:path"
import { beforeEach, describe, expect, it } from "vitest"
import { writeFiles } from "../custom-tools/loading/write-files.ts"
import { PseudoTerminal } from "../hosts/terminal/pseudo-terminal.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { type CommandResult, runNode, useCli } from "./built-cli.ts"
import { useOneProcess } from "./one-process.ts"

const cli = useCli()
const runLine = useOneProcess(cli)
const path = useTempFolder()
const project = () => path("project")
const home = () => path("home")
const marker = () => path("marker")
const store = () => join(home(), ".stepline/trust.json")

/** A module that leaves a file behind when it runs, whatever else it is. */
const hostile = () => `import { appendFileSync } from "node:fs"
appendFileSync(${JSON.stringify(marker())}, "ran\\n")
export default () => {}`

const places = [
  ".pi/extensions/a.ts",
  ".pi/extensions/b/index.js",
  ".omp/tools/c.ts",
  ".claude/tools/d.mjs",
  ".codex/tools/e.js",
]

const hasRun = (): Promise<boolean> =>
  access(marker()).then(
    () => true,
    () => false,
  )

const runs = async (): Promise<number> => {
  const text = await readFile(marker(), "utf8").catch(() => "")
  return text.split("\n").length - 1
}

const env = () => ({ HOME: home(), PATH: process.env.PATH })

const stepline = (args: ReadonlyArray<string>, cwd = project()): Promise<CommandResult> =>
  runLine(args, { cwd, env: env() })

/** In a process of its own. */
const run = (args: ReadonlyArray<string>, input = ""): Promise<CommandResult> =>
  runNode([cli.path, ...args], { cwd: project(), input, env: env() })

const terminal = (args: ReadonlyArray<string>, more: NodeJS.ProcessEnv = {}) =>
  new PseudoTerminal([cli.path, ...args], { cwd: project(), env: { ...env(), ...more }, columns: 160 })

beforeEach(async () => {
  await mkdir(home())
  await writeFiles(project(), Object.fromEntries(places.map((place) => [place, hostile()])))
})

const leftOut = (
  reason: string,
  names = ".omp/tools/c.ts, .claude/tools/d.mjs, .codex/tools/e.js, .pi/extensions/a.ts, .pi/extensions/b/index.js",
) =>
  `stepline: left out what this folder would run, because ${reason}: ${names}. --trust loads it this time.\n`

describe("without a terminal", () => {
  it("says what to do where the answers cannot be read", async () => {
    await mkdir(store(), { recursive: true })
    expect((await stepline(["tools"])).stderr).toContain(
      `${store()} cannot be read (it is a folder, and a file is wanted). Mend it or remove it.`,
    )
  })

  it.each([
    [["run", "--help"], false],
    [["plan", "shell", '{"command":"ls"}'], false],
    [["plan", "some_tool"], true],
    [["tools"], true],
  ])("stepline %j runs nothing of a folder that nobody trusted", async (args, isTold) => {
    const { stderr } = await stepline(args)
    expect(await hasRun()).toBe(false)
    if (isTold) expect(stderr).toContain(leftOut("nobody has trusted it"))
    else expect(stderr).toBe("")
  })

  it("stepline alone runs nothing of a folder that nobody trusted", async () => {
    expect((await run([])).stderr).toBe("")
    expect(await hasRun()).toBe(false)
  })

  it.each([[[]], [["--json"]]])("calls of stdin go on without what was left out %j", async (options) => {
    const script = '{"name":"shell","params":{"command":"echo fine"}}'
    const { stdout, stderr, status } = await run(["run", "-", "--yes", ...options], script)
    expect(stderr).toContain(leftOut("nobody has trusted it"))
    expect(stdout).toContain("fine")
    expect(status).toBe(0)
    expect(await hasRun()).toBe(false)
  })

  it("--trust loads it, and remembers nothing", async () => {
    expect((await stepline(["tools", "--trust"])).stderr).not.toContain("left out")
    expect(await runs()).toBe(places.length)
    expect((await stepline(["tools"])).stderr).toContain(leftOut("nobody has trusted it"))
  })

  it("--no-discovery wins over --trust", async () => {
    await stepline(["tools", "--no-discovery", "--trust"])
    expect(await hasRun()).toBe(false)
  })

  it("a tool of the home folder gets no package of a folder that nobody trusted", async () => {
    await writeFiles(project(), {
      "node_modules/zod/package.json": '{"name":"zod"}',
      "node_modules/zod/index.js": `require("node:fs").appendFileSync(${JSON.stringify(marker())}, "zod")`,
    })
    await writeFiles(home(), {
      ".omp/agent/tools/own.ts": "export default (pi) => [void pi.zod, void pi.pi].slice(2)",
    })
    expect((await stepline(["tools"])).stderr).not.toContain("own.ts")
    expect(await hasRun()).toBe(false)
  })

  it("what lies in the home folder is loaded as ever", async () => {
    await writeFiles(home(), { ".pi/agent/extensions/own.ts": hostile() })
    await stepline(["tools"])
    expect(await runs()).toBe(1)
  })

  it("a name cannot write to the terminal", async () => {
    await writeFiles(project(), { ".codex/tools/\u001b[2Jx.js": hostile() })
    const { stderr } = await stepline(["tools"])
    expect(stderr).toContain(".codex/tools/⟦ESC⟧[2Jx.js")
    expect(stderr).not.toContain("\u001b")
  })
})

/** Trusts the project as it is, by an answer at the terminal. */
const trust = async () => {
  await using asked = terminal(["tools"])
  await asked.see("Load it, now and until it changes?")
  asked.enter("y")
  expect(await asked.exited).toBe(0)
}

describe("at a terminal", () => {
  it.each([[["tools"]], [[]]])("stepline %j asks first, naming what would run", async (args) => {
    await using asked = terminal(args)
    const screen = await asked.see("Enter: not this time", "everything")
    expect(screen).toContain(`${await realpath(project())} brings code that would run in this process`)
    for (const place of places) expect(screen).toContain(place)
    expect(await hasRun()).toBe(false)
  })

  it("a yes loads it now, and later without a question; it is kept for the user alone, by the folder's real path", async () => {
    await trust()
    expect(await runs()).toBe(places.length)
    expect((await run(["tools"])).stderr).not.toContain("left out")
    expect(await runs()).toBe(2 * places.length)
    expect((await stat(store())).mode & 0o777).toBe(0o600)
    expect((await stat(dirname(store()))).mode & 0o777).toBe(0o700)
    expect(Object.keys(JSON.parse(await readFile(store(), "utf8")).folders)).toEqual([
      await realpath(project()),
    ])
    await symlink(project(), path("link"))
    const { stderr } = await stepline(["tools"], path("link"))
    expect(stderr).not.toContain("left out")
    await rename(project(), path("moved"))
    const moved = await stepline(["tools"], path("moved"))
    expect(moved.stderr).toContain(leftOut("nobody has trusted it"))
  })

  it("what was typed before it asks is no answer, but goes to the session", async () => {
    await using session = terminal([])
    session.enter("y")
    await session.see("Load it")
    session.enter("n")
    await session.see("There is no tool y.", "everything")
    expect(await hasRun()).toBe(false)
  })

  it("a no is remembered too", async () => {
    {
      await using asked = terminal(["tools"])
      await asked.see("Load it")
      asked.enter("n")
      await asked.see("because you answered not to load it", "everything")
      await asked.exited
    }
    expect((await run(["tools"])).stderr).toContain(leftOut("you answered not to load it"))
    await using again = terminal(["tools"])
    await again.exited
    expect(again.everything()).not.toContain("Load it")
    expect(await hasRun()).toBe(false)
  })

  it.each([
    ["Ctrl-D", "\u0004"],
    ["another word", "maybe\r"],
  ])("%s leaves it out for this time", async (_key, keys) => {
    await using asked = terminal(["tools"])
    await asked.see("Load it")
    asked.type(keys)
    expect(await asked.exited).toBe(0)
    expect(await hasRun()).toBe(false)
    await expect(access(store())).rejects.toThrow("ENOENT")
  })

  it("Ctrl-C leaves the command", async () => {
    await using asked = terminal(["tools"])
    await asked.see("Load it")
    asked.control("C")
    expect(await asked.exited).toBe(130)
    expect(await hasRun()).toBe(false)
  })

  it("a session begins after the answer, with the keys", async () => {
    await using session = terminal([])
    await session.see("Load it")
    session.enter("y")
    await session.see("/help shows how to call the tools")
    session.enter("/help")
    await session.see("/pending", "everything")
    session.control("D")
    expect(await session.exited).toBe(0)
    expect(await runs()).toBe(places.length)
  })

  it("only the first session says how to type a call", async () => {
    const state = { XDG_STATE_HOME: home() }
    await using first = terminal(["--no-discovery"], state)
    await first.see("Type a tool and its arguments")
    first.enter("/help")
    await first.see("/pending", "everything")
    first.control("D")
    expect(await first.exited).toBe(0)
    await using second = terminal(["--no-discovery"], state)
    await second.see("/help shows how to call the tools")
    expect(second.everything()).not.toContain("Type a tool")
    second.control("D")
    expect(await second.exited).toBe(0)
  })
})

describe("a trusted folder", () => {
  const changes: ReadonlyArray<readonly [string, () => Promise<unknown>]> = [
    ["a module changes", () => writeFile(join(project(), places[0]!), `${hostile()} // more`)],
    ["a module comes", () => writeFiles(project(), { ".codex/tools/new.js": hostile() })],
    [
      "a file that a module could read changes",
      () => writeFiles(project(), { ".pi/extensions/b/data.txt": "x" }),
    ],
    [
      "a file that it imports from elsewhere changes",
      () => writeFiles(project(), { "src/lib/deep.ts": "export const b = 2" }),
    ],
    ["a manifest changes", () => writeFiles(project(), { "package.json": '{"type":"module"}' })],
    [
      "a package that it imports changes",
      () => writeFiles(project(), { "node_modules/dep/index.js": "exports.x = 2" }),
    ],
    [
      "a link leads elsewhere",
      async () => {
        await writeFiles(project(), { "src/other.ts": hostile() })
        await symlink("../../src/other.ts", join(project(), ".omp/tools/other.ts"))
      },
    ],
  ]

  it("is asked about again when what it would run has changed, wherever that lies", async () => {
    await writeFiles(project(), {
      ".omp/tools/imports.ts":
        'import { a } from "../../src/lib/index.js"\nimport "dep"\nexport default () => [a]',
      "src/lib/index.ts": 'export { b as a } from "./deep"',
      "src/lib/deep.ts": "export const b = 1",
      "node_modules/dep/package.json": '{"name":"dep"}',
      "node_modules/dep/index.js": "exports.x = 1",
    })
    await trust()
    const before = await runs()
    await cp(project(), path("as trusted"), { recursive: true })
    for (const [what, change] of changes) {
      await change()
      const { stderr } = await stepline(["tools"])
      expect([what, stderr]).toEqual([
        what,
        expect.stringContaining("because it has changed since it was trusted: "),
      ])
      await rm(project(), { recursive: true })
      await cp(path("as trusted"), project(), { recursive: true })
    }
    expect(await runs()).toBe(before)
    expect((await stepline(["tools"])).stderr).not.toContain("left out")
    expect(await runs()).toBe(2 * before)
    await changes[0]![1]()
    await using asked = terminal(["tools"])
    await asked.see("has changed since you were asked:", "everything")
  })

  it("is asked about again when what a name of its own manifest, or a computed one, leads to has changed", async () => {
    const files = {
      "package.json":
        '{"name":"@me/project","imports":{"#one":"./src/one.js","#more/*":"./src/more/*.js"},"exports":{"./two":{"node":"./src/two.js"}}}',
      "src/one.js": "export const x = 1",
      "src/more/deep.js": "export const x = 1",
      "src/two.js": "export const x = 1",
      "src/three.mjs": "export const x = 1",
      "src/four.json": "{}",
      "node_modules/zod/package.json": '{"name":"zod"}',
      "node_modules/zod/index.js": "exports.z = 1",
    }
    // One name of the manifest makes all that it names count, and a computed import all code of the folder: such stand apart.
    const importing: ReadonlyArray<Readonly<Record<string, string>>> = [
      {
        "src/one.js": 'import "#one"',
        "src/two.js": 'import "@me/project/two"',
      },
      {
        "src/more/deep.js": 'export const x = import("#more/deep")',
        "node_modules/zod/index.js": "export const unused = (pi) => pi.zod",
      },
      {
        "src/three.mjs":
          'import { join } from "node:path"; import { pathToFileURL } from "node:url"; export const x = import(pathToFileURL(join(process.cwd(), "src", "three.mjs")).href)',
      },
      {
        "src/four.json": `import { createRequire } from "node:module"; const r = createRequire(import.meta.url); r("../../src/fo" + "ur.json")`,
      },
    ]
    for (const imports of importing) {
      await rm(project(), { recursive: true })
      await writeFiles(project(), files)
      const modules = Object.values(imports)
      for (const [index, code] of modules.entries())
        await writeFiles(project(), { [`.omp/tools/${index}.ts`]: `${code}\n${hostile()}` })
      expect((await stepline(["tools", "--trust"])).stderr).not.toContain("Failed")
      await trust()
      const before = await runs()
      expect((await stepline(["tools"])).stderr).not.toContain("left out")
      expect(await runs()).toBe(before + modules.length)
      for (const file of Object.keys(imports)) {
        const text = files[file as keyof typeof files]
        await writeFiles(project(), { [file]: `${text}\n` })
        expect([file, (await stepline(["tools"])).stderr]).toEqual([
          file,
          expect.stringContaining("because it has changed since it was trusted: "),
        ])
        await writeFiles(project(), { [file]: text })
      }
      expect((await stepline(["tools"])).stderr).not.toContain("left out")
    }
  })

  it("is not loaded where it changes while the question stands, nor where nothing named it", async () => {
    await using asked = terminal(["tools"])
    await asked.see("Load it")
    await writeFiles(project(), { [places[0]!]: `${hostile()} // other` })
    asked.enter("y")
    await asked.see("because it has changed while you were asked", "everything")
    await asked.exited
    expect(await hasRun()).toBe(false)
    await rm(project(), { recursive: true })
    await writeFiles(project(), {
      ".omp/tools/a.ts": `import { writeFileSync } from "node:fs"
        const late = new URL("../late" + ".ts", import.meta.url)
        writeFileSync(late, "export default 1")
        export default async () => { await import(late.href) }`,
    })
    await using second = terminal(["tools"])
    const screen = await second.see("Load it", "everything")
    expect(screen).toContain(
      "What it loads here shows only while it runs, so all code of the folder counts, and nothing else of it is loaded:",
    )
    expect(screen).toContain(".omp/tools/a.ts: import(late.href)")
    second.enter("y")
    await second.see("is not among what you were asked about", "everything")
    await second.exited
  })

  it("stays trusted when something else in it changes; not by a file that somebody else may write, or that cannot be read", async () => {
    await trust()
    await writeFiles(project(), { "src/main.ts": "export {}", "README.md": "# hello" })
    expect((await stepline(["tools"])).stderr).not.toContain("left out")
    const before = await runs()
    await chmod(store(), 0o666)
    const open = await stepline(["tools"])
    expect(open.stderr).toContain(
      `stepline: ${store()} may be written by other users, and does not count. Remove it.\n`,
    )
    await chmod(store(), 0o600)
    await writeFile(store(), "{")
    expect((await stepline(["tools"])).stderr).toContain(`stepline: ${store()} cannot be read (`)
    expect(await runs()).toBe(before)
    expect(await readFile(store(), "utf8")).toBe("{")
  })

  it("is not trusted by a file of its own, where it is the home folder", async () => {
    await trust()
    const before = await runs()
    const text = await readFile(store(), "utf8")
    await writeFiles(project(), { ".stepline/trust.json": text })
    await chmod(join(project(), ".stepline/trust.json"), 0o600)
    const { stderr } = await runLine(["tools"], { cwd: project(), env: { HOME: project() } })
    expect(stderr).toContain("lies in the very folder that it would trust, and does not count.")
    // What the user keeps in the usual places of the home folder is the user's own.
    expect((await runs()) - before).toBe(2)
  })
})

it("answers that two commands give at once are both kept", async () => {
  await writeFiles(path("second"), { ".omp/tools/c.ts": hostile() })
  const second = new PseudoTerminal([cli.path, "tools"], { cwd: path("second"), env: env() })
  const first = terminal(["tools"])
  await Promise.all([first.see("Load it"), second.see("Load it")])
  first.enter("y")
  second.enter("y")
  await Promise.all([first.exited, second.exited])
  const { folders } = JSON.parse(await readFile(store(), "utf8"))
  expect(Object.keys(folders).sort()).toEqual(
    [await realpath(project()), await realpath(path("second"))].sort(),
  )
})
