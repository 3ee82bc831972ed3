/** What a person writes as the answer of an effect. */
import { type ToolOutput, toOutput } from "../output/output.ts"

/** A value as an output: what is one already, a text, or any other JSON as data; undefined for what is no plain JSON. */
export const writtenOutput = (value: unknown): ToolOutput | undefined =>
  toOutput(value) ?? toOutput({ structured: value })
