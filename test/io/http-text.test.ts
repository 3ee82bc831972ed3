import { describe, expect, it } from "vitest"
import { BodyHead, decodeText, isBinaryType } from "../../src/io/http-text.ts"

const bodyOf = async (bytes: Uint8Array, maxBytes = 100_000): Promise<BodyHead> => {
  const body = new BodyHead(maxBytes)
  await body.readFrom(
    (async function* () {
      for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000)
    })(),
  )
  return body
}

const decode = async (bytes: Uint8Array | string, contentType = "text/html", maxBytes?: number) =>
  decodeText(await bodyOf(Buffer.from(bytes as string), maxBytes), contentType)

const latin1 = (text: string) => Buffer.from(text, "latin1")
const utf16be = (text: string) => Buffer.from(text, "utf16le").swap16()

describe("BodyHead", () => {
  it("keeps a body whole that fits, and says so", async () => {
    const body = await bodyOf(Buffer.alloc(3000, "x"), 3000)
    expect([body.bytes.length, body.isComplete]).toEqual([3000, true])
  })

  it("keeps the start of a longer one, and says so", async () => {
    const body = await bodyOf(Buffer.alloc(3001, "x"), 3000)
    expect([body.bytes.length, body.isComplete]).toEqual([3000, false])
  })
})

describe("decodeText reads the charset", () => {
  it.each([
    ["from the header", latin1("caf\xe9"), "text/plain; charset=ISO-8859-1"],
    ["from the header in quotes", latin1("caf\xe9"), 'text/plain; charset="latin1"'],
    ["from a byte order mark before the header", "\uFEFFcafé", "text/plain; charset=latin1"],
    ["from one of UTF-16", Buffer.from("\uFEFFcafé", "utf16le"), "text/plain"],
    ["from one of big-endian UTF-16", utf16be("\uFEFFcafé"), "text/plain"],
    ["of UTF-16 from the header", Buffer.from("café", "utf16le"), "text/plain; charset=utf-16"],
    ["as UTF-8 where nobody says", "café", "text/plain"],
    ["as windows-1252 where nobody says and it is not UTF-8", latin1("caf\xe9"), "text/plain"],
    ["as if none was named where it is not known", "café", "text/plain; charset=klingon"],
  ])("%s", async (_, bytes, contentType) => {
    expect(await decode(bytes, contentType)).toBe("café")
  })

  it.each(["text/plain; charset=windows-1252", "text/plain; charset=iso-8859-1", "text/plain"])(
    "with the quotes and dashes of windows-1252 for %s",
    async (contentType) => {
      expect(await decode(latin1("\x93caf\xe9\x94 \x96 5 \x80, \x8e\x9e\x9f\x81"), contentType)).toBe(
        "“café” – 5 €, ŽžŸ\x81",
      )
    },
  )

  it.each([
    ['<meta charset="windows-1251">', "text/html"],
    ['<META http-equiv="Content-Type" content="text/html; charset=windows-1251">', "text/html"],
    ['<?xml version="1.0" encoding="windows-1251"?>', "application/xml"],
  ])("from %s", async (tag, contentType) => {
    expect(await decode(latin1(`${tag}\xcf\xf0`), contentType)).toBe(`${tag}Пр`)
  })

  it("from a meta tag that cannot be right as UTF-8", async () => {
    expect(await decode('<meta charset="utf-16">é')).toBe('<meta charset="utf-16">é')
  })

  it("wrongly where the header is wrong, with marks for what does not fit", async () => {
    expect(await decode(latin1("caf\xe9"), "text/plain; charset=utf-8")).toBe("caf\uFFFD")
  })
})

describe("decodeText", () => {
  it("leaves out the character that the end of the part cuts", async () => {
    expect(await decode("aé€", "text/plain", 5)).toBe("aé")
    expect(await decode("aé€", "text/plain; charset=utf-8", 2)).toBe("a")
  })

  it.each([
    ["a PNG", Buffer.from("89504e470d0a1a0a0000000d", "hex")],
    ["a text with a zero byte", Buffer.from("a\0b")],
    ["a script with a program behind it", Buffer.from(`${"#!/bin/sh\n".repeat(200)}\x7fELF\0\0`)],
    ["a text that turns into noise", Buffer.from(`${"text\n".repeat(400)}${"\x01\x02 ".repeat(20)}`)],
  ])("gives nothing for %s, whatever the header says", async (_, bytes) => {
    expect(await decode(bytes, "text/plain; charset=utf-8")).toBeUndefined()
  })

  it("gives nothing for noise that says it is UTF-16", async () => {
    const noise = Buffer.from(
      Array.from({ length: 2000 }, (_, index) => (index * 7919 + (index >> 3)) & 0xff),
    )
    expect(await decode(noise, "text/plain; charset=utf-16le")).toBeUndefined()
  })

  it("takes a text with a few control characters far inside for text", async () => {
    const text = `${"text\n".repeat(400)}a bell \x07`
    expect(await decode(text, "text/plain")).toBe(text)
  })

  it("takes text with colours for text", async () => {
    expect(await decode("\x1b[31mred\x1b[0m\t\f\r\n", "text/plain")).toBe("\x1b[31mred\x1b[0m\t\f\r\n")
  })
})

describe("isBinaryType", () => {
  it.each(["image/png", "application/pdf", "application/zip", "video/mp4", "font/woff2"])(
    "holds for %s",
    (type) => {
      expect(isBinaryType(type)).toBe(true)
    },
  )

  it.each([
    "",
    "text/x-anything; charset=x",
    "application/json",
    "application/ld+json",
    "application/atom+xml",
    "IMAGE/SVG+XML",
    "application/javascript",
    "application/x-yaml",
    "application/octet-stream",
    "application/rtf",
    "application/x-perl",
    "application/x-httpd-php",
    "application/x-subrip",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "application/zip-of-something",
    "x-image/png",
  ])("does not hold for %j", (type) => {
    expect(isBinaryType(type)).toBe(false)
  })
})
