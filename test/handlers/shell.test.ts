// @module-tag waits
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest"
import { Shell, type ShellOptions } from "../../src/handlers/index.ts"
import { localMachine, type Machine } from "../../src/io/index.ts"
import { makeFifo } from "../io/fifo.ts"
import { isRunning } from "../io/process-state.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { answerOf, type ContextOptions, contextOf, runHandler, stepOf } from "./run-handler.ts"

const path = useTempFolder()

const shell = (command: string, options: Omit<ShellOptions, "command"> = {}, context = {}) =>
  answerOf(Shell({ command, ...options }), { cwd: path(), ...context })

describe("the answer of Shell", () => {
  it.each([
    ["stdout as it is", "echo hi", "hi\n"],
    ["stderr in a section", "echo hi; echo oops >&2", "hi\n[stderr]\noops\n"],
    ["stderr alone", "echo oops >&2", "[stderr]\noops\n"],
    [
      "an exit code that is not 0",
      "printf out; printf err >&2; exit 3",
      "out\n[stderr]\nerr\n[exit code: 3]",
    ],
    ["an exit code alone", "exit 3", "[exit code: 3]"],
    ["the signal that ended it", "echo hi; kill -9 $$", "hi\n[killed by SIGKILL]"],
    ["that there was nothing", "true", "(no output)"],
    ["bytes that are no UTF-8 as U+FFFD", "printf 'a\\xffb'", "a\uFFFDb"],
    ["what stdin gives: nothing", "cat", "(no output)"],
    [
      "the complaint of bash about its syntax",
      "if",
      expect.stringMatching(/syntax error(.|\n)*\[exit code: 2\]$/),
    ],
  ])("has %s", async (_, command, expected) => {
    expect(await shell(command)).toEqual(expected)
  })

  it("has details for the host", async () => {
    const step = await runHandler(Shell({ command: "exit 3" }), { cwd: path() })
    expect(step).toMatchObject({ output: { details: { exitCode: 3 } } })
    const killed = await runHandler(Shell({ command: "kill $$" }), { cwd: path() })
    expect(killed).toMatchObject({ output: { details: { exitCode: null, signal: "SIGTERM" } } })
  })

  it("does not wait for a background child that holds the output", async () => {
    const answer = await shell("sleep 60 & echo $!")
    expect(answer).toMatch(/^\d+\n$/)
    process.kill(Number(answer))
  })
})

/** Relative to the folder of this test. */
const outputFiles = async (): Promise<Array<string>> => {
  const names = await readdir(path(), { recursive: true })
  return names.filter((name) => name.endsWith(".log"))
}

describe("the output of Shell", () => {
  beforeEach(() => {
    vi.stubEnv("TMPDIR", path())
  })
  afterEach(() => {
    vi.unstubAllEnvs()
  })

  it("is streamed in whole, both streams, as it comes", async () => {
    makeFifo(path("go"))
    const deltas: Array<string> = []
    const onDelta = async (text: string) => {
      if (deltas.push(text) === 1) await writeFile(path("go"), "\n")
    }
    await shell("echo one; read < go; echo two >&2", {}, { onDelta })
    expect(deltas).toEqual(["one\n", "two\n"])
  })

  it("is cut past 50,000 bytes, with its size and the file that holds it all", async () => {
    const step = await runHandler(
      Shell({ command: "head -c 1000000 /dev/zero | tr '\\0' x >&2; echo end" }),
      {
        cwd: path(),
      },
    )
    const [file] = await outputFiles()
    const fullOutputPath = path(file)
    expect(step).toMatchObject({ output: { details: { exitCode: 0, truncated: true, fullOutputPath } } })
    const text = await answerOf({ name: "again", call: () => step }, { cwd: path() })
    expect(text).toMatch(/^end\n\[stderr\]\nx+\n\[950004 bytes truncated\]\nx+\n/)
    expect(text).toContain(`\n[Output truncated: 1000004 bytes in all. Full output: ${fullOutputPath}]`)
    expect(Buffer.byteLength(text)).toBeLessThan(50_500)
    expect(await readFile(fullOutputPath)).toHaveLength(1_000_004)
  })

  it("waits for its reader: meanwhile the command cannot print on", async () => {
    makeFifo(path("go"))
    makeFifo(path("status"))
    let status: string | undefined
    const onDelta = async () => {
      if (status !== undefined) return
      status = ""
      await writeFile(path("go"), "\n")
      status = await readFile(path("status"), "utf8")
    }
    const command = "echo ready; read < go; timeout 0.2 head -c 3000000 /dev/zero; echo $? > status"
    await shell(command, {}, { onDelta })
    expect(status).toBe("124\n")
  })
})

describe("the working directory", () => {
  it("is the context's, or one below it, or elsewhere", async () => {
    await mkdir(path("sub"))
    expect(await shell("pwd")).toBe(`${path()}\n`)
    expect(await shell("pwd", { workingDir: "sub" })).toBe(`${path("sub")}\n`)
    expect(await shell("pwd", { workingDir: "/" })).toBe("/\n")
  })

  it("must exist", async () => {
    expect(await shell("pwd", { workingDir: "missing" })).toBe(
      "Error: Working directory does not exist: missing",
    )
  })

  it("must exist also where it is the context's", async () => {
    expect(await shell("pwd", {}, { cwd: path("missing") })).toBe(
      `Error: Working directory does not exist: ${path("missing")}`,
    )
    await writeFile(path("file"), "")
    expect(await shell("pwd", {}, { cwd: path("file") })).toBe(
      `Error: Working directory does not exist: ${path("file")}`,
    )
  })

  it("must be in the workspace, also through a link", async () => {
    await mkdir(path("inside"))
    await symlink("/", path("inside/out"))
    const context = { cwd: path("inside"), workspace: path("inside") }
    expect(await shell("pwd", {}, context)).toBe(`${path("inside")}\n`)
    for (const workingDir of ["..", "/", "out"]) {
      expect(await shell("pwd", { workingDir }, context)).toBe(
        `Error: ${workingDir} is outside the workspace ${path("inside")}. Use a path inside it.`,
      )
    }
  })
})

describe("the environment", () => {
  it("is what the machine passes", async () => {
    vi.stubEnv("SOME_TOKEN", "token")
    onTestFinished(() => void vi.unstubAllEnvs())
    const machine = { ...localMachine, env: { pass: ["PATH", "SOME_TOKEN"], set: { WORD: "word" } } }
    const command = 'echo "[$SOME_TOKEN] [$WORD] [$HOME]"'
    expect(await answerOf(Shell({ command }, machine), { cwd: path() })).toBe("[token] [word] []\n")
    expect(await shell(command)).toBe(`[] [] [${process.env.HOME}]\n`)
  })
})

describe("a command that cannot be started", () => {
  it("is a clear answer where there is no bash", async () => {
    const processes: typeof localMachine.processes = {
      run: (options) => localMachine.processes.run({ ...options, command: "no-such-shell" }),
    }
    const answer = await answerOf(Shell({ command: "true" }, { ...localMachine, processes }), { cwd: path() })
    expect(answer).toBe("Error: Cannot run the command: bash was not found on the PATH.")
  })

  it("is a clear answer where it is too long for the system", async () => {
    expect(await shell(`: ${"x".repeat(300_000)}`)).toBe(
      "Error: Cannot run the command: the command is too long. Write it to a script file and run that.",
    )
  })
})

/** Starts Shell in a fiber, on a clock that the test sets, and waits for its first line. */
const started = (
  command: string,
  options: Partial<ShellOptions & ContextOptions> = {},
  machine: Machine = localMachine,
) =>
  Effect.gen(function* () {
    let onLine = (_: string) => {}
    const line = new Promise<string>((resolve) => {
      onLine = resolve
    })
    const context = contextOf({ cwd: path(), onDelta: (text) => onLine(text), ...options })
    const fiber = yield* Effect.forkChild(stepOf(Shell({ command, ...options }, machine), context))
    return { fiber, context, line: yield* Effect.promise(() => line) }
  })

const onTestClock = <A>(effect: Effect.Effect<A, unknown>): Promise<A> =>
  Effect.runPromise(Effect.provide(effect, TestClock.layer()))

describe("the time-out", () => {
  it.each([
    ["a command of 600, its children too", "sleep 600 & echo $!; sleep 600"],
    ["children that ignore SIGTERM", "trap '' TERM; echo $$; while :; do sleep 1; done"],
  ])("of 1 s ends %s, and keeps what was printed", (_, command) =>
    onTestClock(
      Effect.gen(function* () {
        const { fiber, line } = yield* started(command, { timeout: 1 })
        yield* TestClock.adjust("1 second")
        expect(yield* Fiber.join(fiber)).toEqual({
          _tag: "Error",
          message: "Command timed out after 1 s",
          reason: "timeout",
          output: line,
        })
        expect(isRunning(Number(line))).toBe(false)
      }),
    ),
  )

  it("names what could not be ended", () => {
    const processes: typeof localMachine.processes = {
      run: async (options) => ({
        ...(await localMachine.processes.run(options)),
        leftRunning: [
          { pid: 71, name: "sudo" },
          { pid: 72, name: "tail" },
        ],
      }),
    }
    return onTestClock(
      Effect.gen(function* () {
        const machine = { ...localMachine, processes }
        const { fiber } = yield* started("echo ready; sleep 60", { timeout: 1 }, machine)
        yield* TestClock.adjust("1 second")
        expect(yield* Fiber.join(fiber)).toEqual({
          _tag: "Error",
          message: "Command timed out after 1 s",
          reason: "timeout",
          output: "ready\n[Could not be ended and is left running: 71 (sudo), 72 (tail)]",
        })
      }),
    )
  })

  it("is 120 s in the foreground", () =>
    onTestClock(
      Effect.gen(function* () {
        const { fiber } = yield* started("echo ready; sleep 60")
        yield* TestClock.adjust("119 seconds")
        expect(fiber.pollUnsafe()).toBeUndefined()
        yield* TestClock.adjust("1 second")
        expect(yield* Fiber.join(fiber)).toEqual({
          _tag: "Error",
          message: "Command timed out after 120 s",
          reason: "timeout",
          output: "ready\n",
        })
      }),
    ))

  it.each([
    ["in the background", (background: boolean) => ({ background })],
    ["once it was moved to the background", () => ({})],
  ])("is none %s", (_, options) =>
    onTestClock(
      Effect.gen(function* () {
        const { fiber, context } = yield* started("echo ready; sleep 60", options(true))
        Object.assign(context.call, { background: true })
        yield* TestClock.adjust("1 day")
        expect(fiber.pollUnsafe()).toBeUndefined()
        yield* Fiber.interrupt(fiber)
      }),
    ),
  )
})

describe("an interruption", () => {
  it("ends all that the command started before it is over", () =>
    onTestClock(
      Effect.gen(function* () {
        const { fiber, line } = yield* started("sleep 60 & echo $!; wait")
        yield* Fiber.interrupt(fiber)
        expect(isRunning(Number(line))).toBe(false)
      }),
    ))

  it("leaves no file of the output behind", () => {
    vi.stubEnv("TMPDIR", path())
    return onTestClock(
      Effect.gen(function* () {
        const { fiber } = yield* started("head -c 200000 /dev/zero; sleep 60")
        const files = Effect.promise(outputFiles)
        while ((yield* files).length === 0);
        yield* Fiber.interrupt(fiber)
        expect(yield* files).toEqual([])
      }),
    ).finally(() => vi.unstubAllEnvs())
  })
})
