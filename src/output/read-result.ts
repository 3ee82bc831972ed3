/** The tool `read_result`, as the model sees it: it continues reading a result that was cut. */
import type { JsonSchema } from "../schema/json-schema.ts"
import { bytesFrom, headOfBytes } from "../text/truncation.ts"
import type { ReadOn } from "./cut-blocks.ts"

/** The parameters of `read_result`. `offset` and `limit` are bytes of UTF-8. */
export interface ReadResultParams {
  readonly call_id: string
  /** Default 0. */
  readonly offset?: number
  /** Default and maximum: the limit of one result. */
  readonly limit?: number
}

/** The name of the tool that reads results that were cut. A registered tool of this name replaces it. */
export const readResultName = "read_result"

/** The description of `read_result` for the model. */
export const readResultDescription =
  "Reads on in the result of an earlier call of yours that was too long to be given in full. The result says where it was cut."

/** The schema of `ReadResultParams`. */
export const readResultParameters: JsonSchema = {
  type: "object",
  properties: {
    call_id: { type: "string", description: "The id of the call, as its cut result names it." },
    offset: {
      type: "integer",
      minimum: 0,
      description: "The byte of the result to begin with. Default: 0, its start.",
    },
    limit: { type: "integer", minimum: 1, description: "How many bytes to read. Default: as many as fit." },
  },
  required: ["call_id"],
}

/** Tells the model how to continue reading. */
export const readingOn =
  (callId: string): ReadOn =>
  (offset) =>
    `; read on with ${readResultName} { "call_id": ${JSON.stringify(callId)}, "offset": ${offset} }`

/** The size of the widest character, in bytes: each read returns at least one. */
const oneCharacter = 4

/**
 * The part of a text from an offset, whole characters only, followed by how to continue reading. At most `max` bytes; undefined
 * past the end of the text.
 */
export const readPart = (
  whole: Buffer,
  { call_id, offset = 0, limit = Number.POSITIVE_INFINITY }: ReadResultParams,
  max: number,
): string | undefined => {
  const rest = bytesFrom(whole, offset)
  if (rest.length === 0) return undefined
  if (rest.length <= Math.min(limit, max)) return rest.toString()
  const note = (end: number) => `\n[… up to byte ${end} of ${whole.length}${readingOn(call_id)(end)} …]`
  const room = Math.min(limit, max - Buffer.byteLength(note(whole.length)))
  const part = headOfBytes(rest, Math.max(oneCharacter, room))
  return part.toString() + note(whole.length - rest.length + part.length)
}
