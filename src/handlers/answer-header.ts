/** The lines that stand above what was fetched. */
import { shortened } from "../text/truncation.ts"

/** Of one value, in bytes: a server may send any. */
const maxValueBytes = 2000

/** Lines such as `[URL: https://example.org/]`. A value past 2,000 bytes is cut, and ends in `…`. */
export const answerHeader = (lines: ReadonlyArray<readonly [name: string, value: string]>): string =>
  lines.map(([name, value]) => `[${name}: ${shortened(value, maxValueBytes)}]`).join("\n")
