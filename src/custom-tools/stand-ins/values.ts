/** Helpers for small values: ids, texts of contents and of failures. */
import { randomBytes } from "node:crypto"
import { messageOf } from "../../text/message-of.ts"

/** Makes a UUID of version 7: it starts with the time, so that later ones sort after earlier ones. */
export const uuidv7 = (): string => {
  const bytes = randomBytes(16)
  bytes.writeUIntBE(Date.now(), 0, 6)
  bytes[6] = (bytes[6]! & 0x0f) | 0x70
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")
}

/** The texts of a message's content. */
export const contentText = (
  content: string | ReadonlyArray<{ readonly type: string; readonly text?: string }>,
  separator = "\n",
): string =>
  typeof content === "string"
    ? content
    : content
        .filter(({ type }) => type === "text")
        .map(({ text = "" }) => text)
        .join(separator)

export const formatThrownValue = (value: unknown): string => messageOf(value)

export const extractDiagnosticError = (error: unknown): Readonly<Record<string, unknown>> => {
  if (!(error instanceof Error)) return { name: "ThrownValue", message: messageOf(error) }
  const { name, message, stack } = error
  const { code } = error as { code?: unknown }
  return { name, message: message || name, stack, ...(code !== undefined && { code }) }
}

/** pi's source information for a resource that a tool creates. */
export const createSyntheticSourceInfo = (path: string, info: object = {}): object => ({
  path,
  source: "synthetic",
  scope: "temporary",
  origin: "top-level",
  ...info,
})
