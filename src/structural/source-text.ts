/** Reads a file as source text, or reports why it is not. */
import type { Files } from "../io/files.ts"

export interface SourceText {
  readonly bytes: Uint8Array
  /** Without the byte order mark. */
  readonly text: string
}

export interface PassedOver {
  /** Ends the sentence "It was passed over: ". */
  readonly reason: string
}

/** A generated or bundled file: parsing one takes seconds. */
const maxBytes = 2_000_000
/** A NUL in the first bytes of a file marks it as binary, as in other tools. */
const probedBytes = 8192
const byteOrderMark = "\uFEFF"

export const readSource = async (files: Files, real: string): Promise<SourceText | PassedOver> => {
  const info = await files.stat(real)
  if (info?.kind !== "file") return { reason: "no longer a file" }
  if (info.size > maxBytes) return { reason: `${info.size} bytes, the limit is ${maxBytes}` }
  const bytes = await files.read(real, maxBytes)
  if (bytes.subarray(0, probedBytes).includes(0)) return { reason: "binary" }
  try {
    return { bytes, text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) }
  } catch {
    return { reason: "not UTF-8 text" }
  }
}

/** The bytes of a file with a new text. */
export const withText = ({ bytes }: SourceText, text: string): Uint8Array => {
  const mark = Buffer.from(byteOrderMark)
  const hadMark = Buffer.from(bytes.subarray(0, mark.length)).equals(mark)
  return Buffer.from(hadMark ? byteOrderMark + text : text)
}
