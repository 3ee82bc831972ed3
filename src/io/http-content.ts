/**
 * Undoes the content encodings of a response. Nothing is decoded ahead of the reader, so a decompression bomb cannot exceed
 * what the reader takes.
 */
import { pipeline, Readable, type Transform } from "node:stream"
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib"
import { FetchError } from "./fetch-error.ts"

/** More than any honest server applies. */
const maxEncodings = 3

// Like browsers, accept a body that ends early.
const lenient = { finishFlush: constants.Z_SYNC_FLUSH }

const through = (source: Readable, transform: Transform): Readable =>
  // The reader of the transform gets every error; `pipeline` requires a callback.
  pipeline(source, transform, () => {})

/** `deflate` means the zlib format, but some servers send raw deflate. The first byte distinguishes them. */
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

/** Decodes lazily: reads nothing before its own first read. Throws a FetchError, or zlib's error for damaged data. */
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
  // Undo in reverse order: the last listed encoding was applied last.
  yield* encodings.reduceRight<Readable>(decode, source)
}
