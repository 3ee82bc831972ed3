/** Describes what a staged command would change: a list of files, then a diff, both bounded. */
import type { StagedChange, StagedRun } from "../io/staging.ts"
import { headOf } from "../text/truncation.ts"
import { unifiedDiff } from "./unified-diff.ts"

/** Changes that can be shown. */
type Shown = Pick<StagedRun, "changes" | "content">

const maxListed = 100
const maxDiffBytes = 20_000
/** Larger files are only named, not shown. */
const maxFileBytes = 200_000

const octal = (mode: number): string => mode.toString(8).padStart(3, "0")

const lineOf = ({ path, what, kind, modes }: StagedChange): string => {
  const name = kind === "folder" ? `${path}/` : path
  const change = modes === undefined ? "" : ` (mode ${octal(modes[0])} → ${octal(modes[1])})`
  return `${what.padEnd(7)}  ${name}${change}`
}

const listOf = (changes: ReadonlyArray<StagedChange>): Array<string> => {
  const more = changes.length - maxListed
  return [...changes.slice(0, maxListed).map(lineOf), ...(more > 0 ? [`and ${more} more`] : [])]
}

const isBinary = (bytes: Uint8Array | undefined): boolean => bytes?.includes(0) === true

const textOf = (bytes: Uint8Array | undefined): string =>
  bytes === undefined ? "" : Buffer.from(bytes).toString("utf8")

const diffOf = async (run: Shown, change: StagedChange): Promise<string> => {
  const content = await run.content(change, maxFileBytes)
  if (content === undefined) return `${change.path}: too large to be shown\n`
  const { before, after } = content
  if (isBinary(before) || isBinary(after)) return `${change.path}: binary, ${after?.length ?? 0} bytes\n`
  const [from, to] = [textOf(before), textOf(after)]
  return from === to ? "" : unifiedDiff(change.path, from, to)
}

const diffsOf = async (run: Shown): Promise<string> => {
  let text = ""
  let shown = 0
  const changes = run.changes.filter(({ kind }) => kind !== "folder")
  for (const change of changes) {
    text += await diffOf(run, change)
    shown += 1
    if (Buffer.byteLength(text) > maxDiffBytes) {
      return `${headOf(text, maxDiffBytes)}\n[truncated: the diff shows ${shown} of ${changes.length} files, the last in part]\n`
    }
  }
  return text
}

/** The changes as a list, the notes, and a diff of the changes. */
export const previewOf = async (run: Shown, notes: ReadonlyArray<string> = []): Promise<string> =>
  [...listOf(run.changes), ...notes, await diffsOf(run)].join("\n").trimEnd()

/** The preview for the model, after the command's output. */
export const stagedPreview = async (run: StagedRun, folder: string): Promise<string> => {
  const { changes, notes } = run
  const count = `${changes.length} ${changes.length === 1 ? "change" : "changes"}`
  const head =
    changes.length === 0
      ? `[staged] The command would change nothing in ${folder}.`
      : `[staged] ${count} in ${folder}, not made yet:`
  return `${head}\n${await previewOf(run, notes)}`.trimEnd()
}
