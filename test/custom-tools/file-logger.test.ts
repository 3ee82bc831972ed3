import { mkdir, readFile, stat, writeFile } from "node:fs/promises"
import { beforeEach, describe, expect, it, vi } from "vitest"
import { fileLogger, loggerOf } from "../../src/custom-tools/file-logger.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { expectNothingUnhandled } from "../pipeline/unhandled.ts"

const file = useTempFolder()
const log = () => file("stepline/custom-tools.log")

/** The log's lines, once there are so many. */
const linesOf = (count: number): Promise<Array<string>> =>
  vi.waitFor(async () => {
    const lines = (await readFile(log(), "utf8")).split("\n").slice(0, -1)
    if (lines.length < count) throw new Error(`${lines.length} of ${count} lines`)
    return lines
  })

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
    const lines = await linesOf(4)
    expect(lines.map((line) => line.replace(/^\S+/, "TIME"))).toEqual([
      "TIME warn first",
      'TIME error second {"path":"a\\nb","size":"5"}',
      "TIME info third",
      "TIME debug fourth\\nline",
    ])
    const time = lines[0]!.split(" ")[0]!
    expect(new Date(time).toISOString()).toBe(time)
  })

  it("can be read by its user alone", async () => {
    fileLogger().warn("x")
    await linesOf(1)
    expect((await stat(log())).mode & 0o777).toBe(0o600)
    expect((await stat(file("stepline"))).mode & 0o777).toBe(0o700)
  })

  it("prints nothing", async () => {
    const stdout = vi.spyOn(process.stdout, "write")
    const stderr = vi.spyOn(process.stderr, "write")
    fileLogger().error("x")
    await linesOf(1)
    expect(stdout).not.toHaveBeenCalled()
    expect(stderr).not.toHaveBeenCalled()
    stdout.mockRestore()
    stderr.mockRestore()
  })

  it("begins a new file past 5 MB, and keeps one old one", async () => {
    await mkdir(file("stepline"))
    await writeFile(log(), "x".repeat(4_999_990))
    await writeFile(`${log()}.1`, "older")
    fileLogger().warn("new")
    await vi.waitFor(async () => expect(await readFile(log(), "utf8")).toMatch(/ warn new\n$/))
    expect((await stat(log())).size).toBeLessThan(100)
    expect((await stat(`${log()}.1`)).size).toBe(4_999_990)
  })

  it("cuts a line that is too long", async () => {
    fileLogger().warn("x".repeat(100_000))
    expect((await linesOf(1))[0]).toHaveLength(20_000)
  })

  it("counts the lines of a flood that it leaves out", async () => {
    const logger = fileLogger()
    for (let n = 0; n < 5000; n++) logger.warn(`line ${n}`)
    // The first is being written while the others come.
    const lines = await linesOf(1002)
    expect(lines).toHaveLength(1002)
    expect(lines.at(-1)).toMatch(/ warn 3999 lines left out$/)
  })

  it("is silent where it cannot write", async () => {
    await writeFile(file("stepline"), "a file where the folder should be")
    const logger = fileLogger()
    logger.warn("lost")
    const later = fileLogger()
    vi.stubEnv("XDG_STATE_HOME", file("elsewhere"))
    later.warn("found")
    await vi.waitFor(() => stat(file("elsewhere/stepline/custom-tools.log")))
    expect(await readFile(file("stepline"), "utf8")).toBe("a file where the folder should be")
  })

  it("takes the user's state folder where the variable is not absolute", async () => {
    vi.stubEnv("XDG_STATE_HOME", "relative")
    vi.stubEnv("HOME", file("home"))
    fileLogger().warn("x")
    await vi.waitFor(() => stat(file("home/.local/state/stepline/custom-tools.log")))
  })
})

describe("loggerOf", () => {
  it("is the host's, or the one that all others share", () => {
    const logger = fileLogger()
    expect(loggerOf({ logger })).toBe(logger)
    expect(loggerOf({})).toBe(loggerOf({}))
  })
})
