// @module-tag waits
import { spawnSync } from "node:child_process"
import { mkdir, readdir, readFile, stat, symlink, utimes, writeFile } from "node:fs/promises"
import { dirname } from "node:path"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { CommandOutput } from "../../src/io/index.ts"
import { compileScript } from "../support/run-script.ts"
import { useTempFolder } from "./temp-folder.ts"

const path = useTempFolder()

beforeEach(() => {
  vi.stubEnv("TMPDIR", path())
})
afterEach(() => {
  vi.unstubAllEnvs()
})

const bytes = (text: string) => Buffer.from(text)

describe("output that fits", () => {
  it("is given whole, without a file", async () => {
    const output = new CommandOutput(10)
    await output.write("stdout", bytes("12345"))
    await output.write("stderr", bytes("67890"))
    expect(await output.end()).toEqual({ stdout: "12345", stderr: "67890" })
    expect(await readdir(path())).toEqual([])
  })

  it("keeps characters whole that come in two chunks, on both streams at once", async () => {
    const output = new CommandOutput()
    const [first, second] = [bytes("€").subarray(0, 1), bytes("€").subarray(1)]
    expect(await output.write("stdout", first)).toBe("")
    expect(await output.write("stderr", first)).toBe("")
    expect(await output.write("stdout", second)).toBe("€")
    expect(await output.write("stderr", second)).toBe("€")
    expect(await output.end()).toEqual({ stdout: "€", stderr: "€" })
  })

  it("shows bytes that are no UTF-8 as U+FFFD, also an unfinished character at the end", async () => {
    const output = new CommandOutput()
    await output.write("stdout", Buffer.from([0x61, 0xff, 0x62, 0xe2, 0x82]))
    expect((await output.end()).stdout).toBe("a\uFFFDb\uFFFD")
  })
})

describe("output that does not fit", () => {
  it("is cut in the middle, and kept whole in a file that only its owner can read", async () => {
    const output = new CommandOutput(10)
    for (const digit of "0123456789".repeat(100)) await output.write("stdout", bytes(digit))
    const { stdout, truncated } = await output.end()
    expect(stdout).toBe("01234\n[990 bytes truncated]\n56789")
    expect(truncated?.totalBytes).toBe(1000)
    expect(await readFile(truncated!.path!, "utf8")).toBe("0123456789".repeat(100))
    expect((await stat(truncated!.path!)).mode & 0o777).toBe(0o600)
    expect((await stat(dirname(truncated!.path!))).mode & 0o777).toBe(0o700)
  })

  it("is kept in a file without its middle, where it does not fit into that either", async () => {
    const output = new CommandOutput(4, 20)
    for (const digit of "0123456789".repeat(100)) await output.write("stdout", bytes(digit))
    const { stdout, truncated } = await output.end()
    expect(stdout).toBe("01\n[996 bytes truncated]\n89")
    expect(truncated).toEqual({ totalBytes: 1000, droppedBytes: 980, path: expect.any(String) })
    expect(await readFile(truncated!.path!, "utf8")).toBe("0123456789\n[980 bytes left out]\n0123456789")
  })

  it.each([21, 25, 30, 31, 1000])("in chunks of any size: %i bytes in one", async (size) => {
    const whole = Buffer.from(Array.from({ length: size }, (_, index) => 97 + (index % 26)))
    const output = new CommandOutput(4, 20)
    await output.write("stdout", whole)
    const { truncated } = await output.end()
    const expected = `${whole.subarray(0, 10)}\n[${size - 20} bytes left out]\n${whole.subarray(-10)}`
    expect(await readFile(truncated!.path!, "utf8")).toBe(expected)
  })

  it("has all that fits into its file, to the last byte", async () => {
    const output = new CommandOutput(4, 20)
    await output.write("stdout", bytes("01234567890123"))
    await output.write("stderr", bytes("456789"))
    const { truncated } = await output.end()
    expect(truncated).toEqual({ totalBytes: 20, path: expect.any(String) })
    expect(await readFile(truncated!.path!, "utf8")).toBe("01234567890123456789")
  })

  it("fills no more than its file may hold by default", async () => {
    const output = new CommandOutput()
    const chunk = Buffer.alloc(10_000_000, "x")
    for (let i = 0; i < 30; i++) await output.write("stdout", chunk)
    const { truncated } = await output.end()
    expect(truncated).toMatchObject({ totalBytes: 300_000_000, droppedBytes: 44_000_000 })
    expect((await stat(truncated!.path!)).size).toBe(256_000_000 + "\n[44000000 bytes left out]\n".length)
  })

  it("keeps both streams in the file, in the order in which they came", async () => {
    const output = new CommandOutput(4)
    await Promise.all([
      output.write("stdout", bytes("aa")),
      output.write("stderr", bytes("bb")),
      output.write("stdout", bytes("cc")),
      output.write("stderr", bytes("dd")),
    ])
    const { truncated } = await output.end()
    expect(await readFile(truncated!.path!, "utf8")).toBe("aabbccdd")
  })

  it("leaves a short stream whole beside a long one", async () => {
    const output = new CommandOutput(20)
    await output.write("stdout", bytes("o".repeat(100)))
    await output.write("stderr", bytes("short"))
    const { stdout, stderr } = await output.end()
    expect(stderr).toBe("short")
    expect(stdout).toBe(`${"o".repeat(7)}\n[86 bytes truncated]\n${"o".repeat(7)}`)
  })

  it("counts what it becomes as text", async () => {
    const output = new CommandOutput(10)
    await output.write("stdout", Buffer.alloc(10, 0xff))
    const { stdout, truncated } = await output.end()
    expect(stdout).toBe("\uFFFD\n[24 bytes truncated]\n\uFFFD")
    expect(await readFile(truncated!.path!)).toEqual(Buffer.alloc(10, 0xff))
  })

  it("is still given where no file can be written", async () => {
    vi.stubEnv("TMPDIR", path("missing"))
    const output = new CommandOutput(2)
    await output.write("stdout", bytes("abcdef"))
    await output.write("stdout", bytes("gh"))
    expect(await output.end()).toEqual({
      stdout: "a\n[6 bytes truncated]\nh",
      stderr: "",
      truncated: { totalBytes: 8 },
    })
  })

  it("leaves no file behind when it is discarded", async () => {
    const output = new CommandOutput(2)
    await output.write("stdout", bytes("abcdef"))
    await output.discard()
    const [folder = ""] = await readdir(path())
    expect(await readdir(path(folder))).toEqual([])
  })
})

/** Fills a folder and dates it, and what is in it, back by so many hours. */
const makeAged = async (name: string, hours: number): Promise<void> => {
  await mkdir(path(name))
  await writeFile(path(`${name}/output.log`), "text")
  const time = new Date(Date.now() - hours * 3_600_000)
  for (const each of [`${name}/output.log`, name]) await utimes(path(each), time, time)
}

describe("the folder of these files", () => {
  const spill = async (how: string) => {
    const host = await compileScript("test/io/spilling-host.ts")
    const env = { ...process.env, TMPDIR: path() }
    const { stdout } = spawnSync(process.execPath, [host, how], { env, encoding: "utf8" })
    return stdout.trim()
  }

  it("goes with the process", async () => {
    expect(await spill("end")).toMatch(/\/stepline-output-\w+\/[-\w]+\.log 100000$/)
    expect((await readdir(path())).filter((name) => name.startsWith("stepline-output-"))).toEqual([])
  })

  it("goes with a process that is killed", async () => {
    const [file = ""] = (await spill("kill")).split(" ")
    const left = async () => (await readdir(path())).filter((name) => name.startsWith("stepline-output-"))
    await expect.poll(left).toEqual([])
    await expect(stat(file)).rejects.toMatchObject({ code: "ENOENT" })
  })

  it("goes after a day where neither happened, and nothing else does", async () => {
    await makeAged("stepline-output-old", 25)
    await makeAged("stepline-output-new", 23)
    await makeAged("stepline-other", 25)
    await symlink(path("stepline-other"), path("stepline-output-link"))
    await spill("end")
    const names = await readdir(path())
    expect(names.filter((name) => name.startsWith("stepline-")).sort()).toEqual([
      "stepline-other",
      "stepline-output-link",
      "stepline-output-new",
    ])
    expect(await readdir(path("stepline-other"))).toEqual(["output.log"])
  })
})
