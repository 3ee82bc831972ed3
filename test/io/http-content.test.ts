import { Readable } from "node:stream"
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from "node:zlib"
import { describe, expect, it } from "vitest"
import { FetchError } from "../../src/io/fetch-error.ts"
import { decodeContent } from "../../src/io/http-content.ts"

const text = "content ".repeat(1000)
const plain = Buffer.from(text)

/** In small pieces, as from a network. */
const streamOf = (bytes: Uint8Array): Readable => {
  const size = Math.max(1, Math.ceil(bytes.length / 7))
  return Readable.from(Array.from({ length: 7 }, (_, at) => bytes.subarray(at * size, (at + 1) * size)))
}

const decode = async (bytes: Uint8Array, encoding: string | undefined): Promise<string> => {
  const chunks: Array<Uint8Array> = []
  for await (const chunk of decodeContent(streamOf(bytes), encoding)) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

describe("decodeContent", () => {
  it.each([
    ["no encoding", undefined, plain],
    ["identity", "identity", plain],
    ["gzip", "gzip", gzipSync(plain)],
    ["x-gzip in capitals", "X-GZIP", gzipSync(plain)],
    ["brotli", "br", brotliCompressSync(plain)],
    ["deflate", "deflate", deflateSync(plain)],
    ["deflate without the zlib format", "deflate", deflateRawSync(plain)],
    ["several encodings, the last one first", "deflate, gzip", gzipSync(deflateSync(plain))],
  ])("undoes %s", async (_, encoding, bytes) => {
    expect(await decode(bytes, encoding)).toBe(text)
  })

  it.each(["gzip", "br", "deflate"])("gives nothing for an empty %s body", async (encoding) => {
    expect(await decode(Buffer.alloc(0), encoding)).toBe("")
  })

  it("gives what there is of a body that was cut", async () => {
    const bytes = gzipSync(plain, { level: 0 })
    const decoded = await decode(bytes.subarray(0, bytes.length / 2), "gzip")
    expect(decoded.length).toBeGreaterThan(1000)
    expect(text.startsWith(decoded)).toBe(true)
  })

  it.each(["gzip", "br", "deflate"])("fails for damaged %s data", async (encoding) => {
    await expect(decode(Buffer.from("\u0001this was never compressed"), encoding)).rejects.toThrow()
  })

  it("refuses encodings that it does not know, or too many of", async () => {
    await expect(decode(plain, "zstd")).rejects.toThrow(
      new FetchError('The content encoding "zstd" is not known.'),
    )
    await expect(decode(plain, "gzip, gzip, gzip, gzip")).rejects.toThrow(FetchError)
  })

  it.each([
    ["gzip", gzipSync],
    ["br", (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
    ["deflate", deflateRawSync],
  ])("decodes of a %s bomb only what is read, and lets go of its source", async (encoding, compress) => {
    // Packed it is far larger than what the streams of any Node read ahead.
    const bomb = compress(Buffer.alloc(240_000_000))
    let given = 0
    const source = Readable.from(
      (function* () {
        for (; given < bomb.length; given += 256) yield bomb.subarray(given, given + 256)
      })(),
      { highWaterMark: 1 },
    )
    const closed = new Promise((resolve) => source.on("close", resolve))
    let decoded = 0
    for await (const chunk of decodeContent(source, encoding)) {
      decoded += chunk.length
      if (decoded > 100_000) break
    }
    expect(decoded).toBeLessThan(1_000_000)
    await closed
    expect(given).toBeLessThan(160_000)
  })
})
