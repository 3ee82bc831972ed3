import { describe, expect, expectTypeOf, it } from "vitest"
import {
  DEFAULT_MAX_BYTES,
  formatSize,
  type TruncationResult,
  truncateHead,
  truncateTail,
} from "../../../src/custom-tools/index.ts"
import { publishedModule } from "./published-module.ts"

const { truncateLine } = await publishedModule("@mariozechner/pi-coding-agent")

const lines = (count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}`).join("\n")

describe("truncateHead of a number of bytes", () => {
  it("keeps the end, as a string", () => {
    expect(truncateHead("0123456789", 4)).toBe("6789")
    expect(truncateHead("short", 50_000)).toBe("short")
    expectTypeOf(truncateHead("x", 1)).toEqualTypeOf<string>()
  })

  it("never cuts a character", () => {
    expect(truncateHead("aé", 2)).toBe("é")
    expect(truncateHead("aé", 1)).toBe("")
    expect(truncateHead("x😀", 3)).toBe("")
  })
})

describe("truncateHead of limits", () => {
  it("reports a text that fits", () => {
    expect(truncateHead("a\nb")).toEqual({
      content: "a\nb",
      truncated: false,
      truncatedBy: null,
      totalLines: 2,
      totalBytes: 3,
      outputLines: 2,
      outputBytes: 3,
      lastLinePartial: false,
      firstLineExceedsLimit: false,
      maxLines: 2000,
      maxBytes: DEFAULT_MAX_BYTES,
    } satisfies TruncationResult)
  })

  it("keeps the first 2000 lines by default", () => {
    const result = truncateHead(lines(2001))
    expect(result.content).toBe(lines(2000))
    expect(result).toMatchObject({ truncatedBy: "lines", totalLines: 2001, outputLines: 2000 })
  })

  it("keeps whole lines of as many bytes as it may", () => {
    expect(truncateHead("ééé\nb\nc", { maxBytes: 8 })).toMatchObject({
      content: "ééé\nb",
      truncatedBy: "bytes",
      outputLines: 2,
      outputBytes: 8,
    })
    expect(truncateHead("ééé\nb\nc", { maxBytes: 7 }).content).toBe("ééé")
  })

  it("gives nothing where the first line is too long", () => {
    expect(truncateHead("12345\n6", { maxBytes: 4 })).toMatchObject({
      content: "",
      truncated: true,
      truncatedBy: "bytes",
      outputLines: 0,
      firstLineExceedsLimit: true,
    })
  })

  it("knows an empty first line from one that is too long", () => {
    expect(truncateHead("\n12345", { maxBytes: 4 })).toMatchObject({
      content: "",
      outputLines: 1,
      firstLineExceedsLimit: false,
    })
  })
})

describe("truncateTail", () => {
  it("keeps the last lines", () => {
    expect(truncateTail(lines(5), { maxLines: 2 })).toMatchObject({
      content: "line 4\nline 5",
      truncatedBy: "lines",
      outputLines: 2,
    })
    expect(truncateTail("aaaa\nb\nc", { maxBytes: 3 }).content).toBe("b\nc")
  })

  it("keeps the end of a last line that is too long, whole characters only", () => {
    expect(truncateTail("a\n12é45", { maxBytes: 3 })).toMatchObject({
      content: "45",
      truncatedBy: "bytes",
      outputLines: 1,
      outputBytes: 2,
      lastLinePartial: true,
    })
  })

  it("says `lines` of a part of a line too, where that is all the lines there may be", () => {
    expect(truncateTail("a\n12345", { maxBytes: 3, maxLines: 1 })).toMatchObject({
      content: "345",
      truncatedBy: "lines",
      lastLinePartial: true,
    })
  })
})

it("shows sizes as people read them", () => {
  expect([812, 1024, 51_200, 1_258_291].map(formatSize)).toEqual(["812B", "1.0KB", "50.0KB", "1.2MB"])
})

it("cuts a line to so many characters, never half of one", () => {
  expect(truncateLine("abc", 3)).toEqual({ text: "abc", wasTruncated: false })
  expect(truncateLine("abcd", 3)).toEqual({ text: "abc... [truncated]", wasTruncated: true })
  expect(truncateLine("ab😀", 3).text).toBe("ab... [truncated]")
})
