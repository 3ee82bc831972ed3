/** The header lines above fetched content. */
import { shortened } from "../text/truncation.ts"

/** Maximum size of one value, in bytes: a server can send any. */
const maxValueBytes = 2000

/** Formats lines such as `[URL: https://example.org/]`. A value over 2,000 bytes is cut, and ends in `…`. */
export const answerHeader = (lines: ReadonlyArray<readonly [name: string, value: string]>): string =>
  lines.map(([name, value]) => `[${name}: ${shortened(value, maxValueBytes)}]`).join("\n")
