/** Errors in the shape of typebox 1, with `instancePath`, plus 0.34's `path` and `value`. */
import type { ValueErrorIterator } from "@sinclair/typebox/value"

export interface LocalizedError {
  /** A JSON pointer; empty for the value itself. */
  readonly instancePath: string
  readonly path: string
  readonly message: string
  readonly value: unknown
}

export const toErrorList = (errors: ValueErrorIterator): Array<LocalizedError> =>
  [...errors].map(({ path, message, value }) => ({ instancePath: path, path, message, value }))
