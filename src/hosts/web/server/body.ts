/** Reads a page's request: bounded JSON. */

import { isPlainObject } from "../../../schema/plain-object.ts"

/** Bytes of one request. */
const maxBytes = 4 * 1024 * 1024

/** A request that cannot be answered, with the status for it. */
export class RequestError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** The object that a request sends. Rejects with a RequestError for anything else. */
export const readBody = async (request: Request): Promise<Readonly<Record<string, unknown>>> => {
  if (!/^application\/json\b/.test(request.headers.get("content-type") ?? ""))
    throw new RequestError(415, "Send JSON, as `application/json`.")
  const chunks: Array<Uint8Array> = []
  let bytes = 0
  for await (const chunk of request.body ?? []) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new RequestError(413, `Send at most ${maxBytes} bytes.`)
    chunks.push(chunk)
  }
  let value: unknown
  try {
    value = JSON.parse(Buffer.concat(chunks).toString("utf8"))
  } catch {
    throw new RequestError(400, "That is no JSON.")
  }
  if (isPlainObject(value)) return value
  throw new RequestError(400, "Send an object.")
}
