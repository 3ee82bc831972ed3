/** The answer to an effect, as a person writes it. */
import { type ToolOutput, toOutput } from "../output/output.ts"

/** A value as an output: an output, a text, or any other JSON as data; undefined for a value that is no plain JSON. */
export const writtenOutput = (value: unknown): ToolOutput | undefined =>
  toOutput(value) ?? toOutput({ structured: value })
