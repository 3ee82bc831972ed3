/** The text of a search or a listing: its rows, cut to 50 KB, and in brackets what was omitted and how to get it. */
import type { AgentToolResult } from "../../agent-tool-result.ts"
import { DEFAULT_MAX_BYTES, formatSize, type TruncationResult, truncateHead } from "../truncation.ts"
import { textContent } from "./factory-tool.ts"

export interface ListDetails {
  readonly truncation?: TruncationResult
}

/** `notices`: what was already omitted; `details`: the same for hosts. */
export const limitedList = <TDetails extends object>(
  rows: ReadonlyArray<string>,
  notices: ReadonlyArray<string>,
  details: TDetails,
): AgentToolResult<(TDetails & ListDetails) | undefined> => {
  const truncation = truncateHead(rows.join("\n"), { maxLines: Number.MAX_SAFE_INTEGER })
  const all = truncation.truncated ? [...notices, `${formatSize(DEFAULT_MAX_BYTES)} limit reached`] : notices
  const text = all.length === 0 ? truncation.content : `${truncation.content}\n\n[${all.join(". ")}]`
  const known = { ...details, ...(truncation.truncated && { truncation }) }
  return { content: textContent(text), details: Object.keys(known).length > 0 ? known : undefined }
}
