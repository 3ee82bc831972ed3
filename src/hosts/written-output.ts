/** The answer to an effect, as written by a person. */
import { type ToolOutput, toOutput } from "../output/output.ts"

/**
 * Converts a value to an output: an output, a text, or any other JSON as structured data; undefined for a value that is not
 * plain JSON.
 */
export const writtenOutput = (value: unknown): ToolOutput | undefined =>
  toOutput(value) ?? toOutput({ structured: value })
