import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type LineRange, readLines } from "../../src/io/index.ts"

const all: LineRange = { first: 1, last: Number.POSITIVE_INFINITY, maxBytes: 1_000_000, overhead: () => 0 }

/** Chunks that share their memory, as those of a file do. */
async function* chunksOf(content: string | Uint8Array, size: number) {
  const bytes = Buffer.from(content)
  const shared = Buffer.alloc(size)
  for (let start = 0; start < bytes.length; start += size) {
    const length = bytes.copy(shared, 0, start, start + size)
    yield shared.subarray(0, length)
  }
}

const read = (content: string | Uint8Array, range: Partial<LineRange> = {}, size = 8) =>
  readLines(chunksOf(content, size), { ...all, ...range })

describe("readLines", () => {
  it("gives the lines that were asked for, wherever chunks end", async () => {
    const line = fc.string({ unit: fc.constantFrom("a", "é", "😀", "\r"), maxLength: 12 })
    const property = fc.asyncProperty(
      fc.array(line, { minLength: 1 }),
      fc.boolean(),
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 8 }),
      fc.nat(8),
      async (lines, finalNewline, size, first, more) => {
        const content = lines.join("\n") + (finalNewline ? "\n" : "")
        const expected = content.replace(/\n$/, "").split("\n")
        if (content === "") expected.pop()
        const slice = await read(content, { first, last: first + more }, size)
        expect(slice.lines).toEqual(
          expected.slice(first - 1, first + more).map((text) => text.replace(/\r$/, "")),
        )
        if (slice.total !== undefined) expect(slice.total).toBe(expected.length)
        expect(slice.problem).toBeUndefined()
      },
    )
    await fc.assert(property)
  })

  it("counts all lines of a file that ends before the first one", async () => {
    expect(await read("a\nb\n", { first: 5 })).toEqual({ lines: [], total: 2 })
    expect(await read("", { first: 5 })).toEqual({ lines: [], total: 0 })
  })

  it("reads nothing after the last line, and closes the file", async () => {
    let given = 0
    let closed = false
    const endless = async function* () {
      try {
        for (;;) {
          given++
          yield Buffer.from("line\nline\n")
        }
      } finally {
        closed = true
      }
    }
    const slice = await readLines(endless(), { ...all, first: 3, last: 4 })
    expect(slice).toEqual({ lines: ["line", "line"] })
    expect({ given, closed }).toEqual({ given: 2, closed: true })
  })

  it("leaves out a byte order mark and carriage returns", async () => {
    expect((await read("\uFEFFa\r\nb\r\n")).lines).toEqual(["a", "b"])
    expect((await read("\uFEFFa", {}, 1)).lines).toEqual(["a"])
  })

  it("stops before the line for which there is no room", async () => {
    const range = { maxBytes: 9, overhead: () => 1 }
    expect(await read("aa\nbb\ncc\ndd\n", range)).toEqual({ lines: ["aa", "bb", "cc"], cut: "range" })
    expect(await read("aa\nbb\ncc\n", range)).toEqual({ lines: ["aa", "bb", "cc"], total: 3 })
  })

  it("gives the beginning of a line without end, cut between characters", async () => {
    let given = 0
    const endless = async function* () {
      for (;;) {
        given++
        yield Buffer.from("€€€")
      }
    }
    expect(await readLines(endless(), { ...all, maxBytes: 20 })).toEqual({ lines: ["€€€€€€"], cut: "line" })
    expect(given).toBe(3)
  })

  it("tells a binary file by a NUL near its beginning without reading on", async () => {
    let given = 0
    const endless = async function* () {
      for (;;) {
        given++
        yield Buffer.from("a\0b")
      }
    }
    expect(await readLines(endless(), { ...all, first: 9 })).toMatchObject({ problem: { kind: "binary" } })
    expect(given).toBe(1)
  })

  it("gives lines of text that stand before the first NUL", async () => {
    expect(await read("one\ntwo\n\0\0\0", { last: 2 }, 100)).toEqual({ lines: ["one", "two"] })
  })

  it("tells a NUL in the lines themselves", async () => {
    const content = `${"text\n".repeat(3000)}a\0b\n`
    expect((await read(content, { first: 3001 }, 64)).problem).toEqual({ kind: "binary", line: 3001 })
    expect((await read(content, { first: 2999, last: 3000 }, 64)).lines).toEqual(["text", "text"])
  })

  it("tells the first line that is not UTF-8", async () => {
    const content = Buffer.from([0x61, 0x0a, 0xff, 0x0a])
    expect((await read(content)).problem).toEqual({ kind: "encoding", line: 2 })
    expect((await read(content, { last: 1 })).lines).toEqual(["a"])
  })

  it("rejects once its signal is aborted", async () => {
    await expect(read("a", { signal: AbortSignal.abort() })).rejects.toThrow("aborted")
  })
})
