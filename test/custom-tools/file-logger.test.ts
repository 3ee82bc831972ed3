import { existsSync, readFileSync } from "node:fs"
import { mkdir, readFile, stat, writeFile } from "node:fs/promises"
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest"
import { loggerOf } from "../../src/custom-tools/file-logger.ts"
import { fileLogger } from "../../src/custom-tools/index.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { expectNothingUnhandled } from "../support/unhandled.ts"

const file = useTempFolder()
const log = () => file("stepline/custom-tools.log")

const lines = (): Array<string> => readFileSync(log(), "utf8").split("\n").slice(0, -1)

describe("fileLogger", () => {
  beforeEach(() => {
    vi.stubEnv("XDG_STATE_HOME", file())
    return () => vi.unstubAllEnvs()
  })
  expectNothingUnhandled()

  it("appends time, level, message and context, in order", async () => {
    const logger = fileLogger()
    logger.warn("first")
    logger.error("second", { path: "a\nb", size: 5n })
    logger.info("third")
    logger.debug("fourth\nline")
    expect(lines().map((line) => line.replace(/^\S+/, "TIME"))).toEqual([
      "TIME warn first",
      'TIME error second {"path":"a\\nb","size":"5"}',
      "TIME info third",
      "TIME debug fourth\\nline",
    ])
    const time = lines()[0]!.split(" ")[0]!
    expect(new Date(time).toISOString()).toBe(time)
  })

  it("can be read by its user alone", async () => {
    fileLogger().warn("x")
    expect((await stat(log())).mode & 0o777).toBe(0o600)
    expect((await stat(file("stepline"))).mode & 0o777).toBe(0o700)
  })

  it("prints nothing", async () => {
    const stdout = vi.spyOn(process.stdout, "write")
    onTestFinished(() => stdout.mockRestore())
    const stderr = vi.spyOn(process.stderr, "write")
    onTestFinished(() => stderr.mockRestore())
    fileLogger().error("x")
    expect(stdout).not.toHaveBeenCalled()
    expect(stderr).not.toHaveBeenCalled()
  })

  it("begins a new file past 5 MB, and keeps one old one", async () => {
    await mkdir(file("stepline"))
    await writeFile(log(), "x".repeat(4_999_990))
    await writeFile(`${log()}.1`, "older")
    fileLogger().warn("new")
    expect(lines()).toEqual([expect.stringMatching(/ warn new$/)])
    expect((await stat(`${log()}.1`)).size).toBe(4_999_990)
  })

  it("cuts a line that is too long", async () => {
    fileLogger().warn("x".repeat(100_000))
    expect(lines()[0]).toHaveLength(20_000)
  })

  it("shares its file with other loggers, also where a new one begins", () => {
    const loggers = [fileLogger(), fileLogger()]
    for (let n = 0; n < 600; n++) loggers[n % 2]!.warn(`${n} ${"x".repeat(10_000)}`)
    const old = readFileSync(`${log()}.1`, "utf8").split("\n").slice(0, -1)
    expect([...old, ...lines()].map((line) => Number(line.split(" ")[2]))).toEqual(
      Array.from({ length: 600 }, (_, n) => n),
    )
  })

  it("is silent where it cannot write", async () => {
    await writeFile(file("stepline"), "a file where the folder should be")
    const logger = fileLogger()
    logger.warn("lost")
    const later = fileLogger()
    vi.stubEnv("XDG_STATE_HOME", file("elsewhere"))
    later.warn("found")
    expect(existsSync(file("elsewhere/stepline/custom-tools.log"))).toBe(true)
    expect(await readFile(file("stepline"), "utf8")).toBe("a file where the folder should be")
  })

  it("takes the user's state folder where the variable is not absolute", async () => {
    vi.stubEnv("XDG_STATE_HOME", "relative")
    vi.stubEnv("HOME", file("home"))
    fileLogger().warn("x")
    expect(existsSync(file("home/.local/state/stepline/custom-tools.log"))).toBe(true)
  })
})

describe("loggerOf", () => {
  it("is the host's, or the one that all others share", () => {
    const logger = fileLogger()
    expect(loggerOf({ logger })).toBe(logger)
    expect(loggerOf({})).toBe(loggerOf({}))
  })
})
