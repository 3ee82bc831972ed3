/** Undoes the content encodings of a response. Nothing is decoded ahead of its reader, so a decompression bomb is as harmless as its reader is moderate. */
import { pipeline, Readable, type Transform } from "node:stream"
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib"
import { FetchError } from "./fetch-error.ts"

/** More than any honest server applies. */
const maxEncodings = 3

// As browsers do: a body that ends early gives what there was of it.
const lenient = { finishFlush: constants.Z_SYNC_FLUSH }

const through = (source: Readable, transform: Transform): Readable =>
  // The reader of the transform is told of every failure; the callback is there because one must be.
  pipeline(source, transform, () => {})

/** `deflate` means the zlib format, but some servers send the bare one. The first byte tells. */
async function* inflate(source: Readable): AsyncGenerator<Uint8Array> {
  const chunks: AsyncIterator<Buffer, undefined> = source[Symbol.asyncIterator]()
  const first = await chunks.next()
  if (first.done === true) return
  async function* whole() {
    yield first.value
    yield* { [Symbol.asyncIterator]: () => chunks }
  }
  const isZlib = (first.value![0]! & 0x0f) === 8
  yield* through(Readable.from(whole()), isZlib ? createInflate(lenient) : createInflateRaw(lenient))
}

const decode = (source: Readable, encoding: string): Readable => {
  switch (encoding) {
    case "gzip":
    case "x-gzip":
      return through(source, createGunzip(lenient))
    case "br":
      return through(source, createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH }))
    case "deflate":
      return Readable.from(inflate(source))
    default:
      throw new FetchError(`The content encoding ${JSON.stringify(encoding)} is not known.`)
  }
}

/** Reads nothing before its own first read. Fails with a FetchError, or with zlib's error for damaged data. */
export async function* decodeContent(
  source: Readable,
  contentEncoding: string | undefined,
): AsyncGenerator<Uint8Array> {
  const encodings = (contentEncoding ?? "")
    .split(",")
    .map((encoding) => encoding.trim().toLowerCase())
    .filter((encoding) => encoding !== "" && encoding !== "identity")
  if (encodings.length > maxEncodings) {
    throw new FetchError(`The body has more than ${maxEncodings} content encodings.`)
  }
  // The last one was applied last.
  yield* encodings.reduceRight<Readable>(decode, source)
}
