import { readdir, readFile, stat } from "node:fs/promises"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { CommandOutput } from "../../src/io/index.ts"
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
    expect(await readdir(path())).toEqual([])
  })
})
