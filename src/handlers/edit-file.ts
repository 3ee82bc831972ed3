/** Edits a text file in two steps: a preview of the change, then the write, if the file is still the same. */
import type { EnsureHeld } from "../io/file-lock.ts"
import { type FileInfo, type Files, localFiles } from "../io/files.ts"
import { whileChanging } from "../io/while-changing.ts"
import type { EffectHandler, HandlerContext } from "../model/handler.ts"
import type { TextEdit } from "../model/host-effect.ts"
import { Step, ToolError } from "../model/step.ts"
import { textOutput } from "../output/output.ts"
import { changedText } from "./changed-text.ts"
import type { FileChange } from "./file-change.ts"
import { changing } from "./file-changes.ts"
import { fileHandler } from "./file-handler.ts"
import type { Location } from "./location.ts"
import { applyTextEdits } from "./text-edits.ts"
import { unifiedDiff } from "./unified-diff.ts"
import { expectFile } from "./validate-file.ts"

/** Which file to edit, and how. */
export interface EditOptions {
  /** Relative paths start at the executor's `cwd`. */
  readonly path: string
  readonly edits: ReadonlyArray<TextEdit>
  /** Pass the same object to ValidateEdits and ApplyEdits: then only the previewed file is written. */
  readonly change?: FileChange
}

/** The `details` of both handlers' outputs. */
export interface EditDetails {
  readonly path: string
  /** Unified, with LF endings. */
  readonly diff: string
}

const maxFileBytes = 64 * 1024 * 1024

const readForEdit = async (files: Files, location: Location): Promise<Uint8Array> => {
  const size = await expectFile(files, location)
  if (size <= maxFileBytes) return files.read(location.real, maxFileBytes)
  throw new ToolError(`${location.path} is too large to edit: ${size} bytes, the limit is ${maxFileBytes}.`)
}

const editBytes = async (
  { path, edits }: EditOptions,
  bytes: Uint8Array,
): Promise<{ readonly bytes: Uint8Array; readonly details: EditDetails }> => {
  const changed = changedText(bytes, (text) => applyTextEdits(text, edits))
  if (changed === undefined) throw new ToolError(`${path} is not valid UTF-8 text. It cannot be edited.`)
  const { content, before, after } = changed
  return { bytes: Buffer.from(content), details: { path, diff: await unifiedDiff(path, before, after) } }
}

/** Outputs the diff of the edits. An edit that does not match exactly once is an Error. */
export const ValidateEdits = (options: EditOptions, files: Files = localFiles): EffectHandler =>
  fileHandler("ValidateEdits", files, options.path, async (location, { memory }) => {
    const bytes = await readForEdit(files, location)
    const { details } = await editBytes(options, bytes)
    options.change?.preview(memory, location.real, bytes)
    return Step.Output({ ...textOutput(details.diff), details })
  })

/** The note about hard links: the file is replaced, so its other names, which can be anywhere, keep the old content. */
const otherNames = (shared: FileInfo["shared"]): string => {
  if (shared === undefined) return ""
  const others = shared.names - 1
  return others === 1
    ? "\nThe file had another name (a hard link), which keeps the former content."
    : `\nThe file had ${others} other names (hard links), which keep the former content.`
}

/** Writes the edited file in one step. With a `change`, a file that differs from the previewed one is an Error. */
export const ApplyEdits = (options: EditOptions, files: Files = localFiles): EffectHandler => {
  const { path, edits, change } = options
  const apply = async (
    location: Location,
    context: HandlerContext,
    ensureHeld: EnsureHeld,
    signal: AbortSignal,
  ): Promise<Step> => {
    signal.throwIfAborted()
    const { memory } = context
    const shared = (await files.stat(location.real))?.shared
    const bytes = await readForEdit(files, location)
    if (change?.isStale(memory, location.real, bytes) === true) {
      return Step.Error(
        `${path} has changed since the edit was previewed. Nothing was written. Read the file again.`,
      )
    }
    const edited = await editBytes(options, bytes)
    const written = [{ path: location.real, before: bytes, after: edited.bytes }]
    await changing(context, files, written, async () => {
      await ensureHeld()
      await files.replace(location.real, edited.bytes, signal)
    })
    change?.wrote(memory)
    return Step.Output({
      ...textOutput(`Successfully applied ${edits.length} edit(s) to ${path}${otherNames(shared)}`),
      details: edited.details,
    })
  }
  // Two calls that edit one file at once, here or in another process, must not both find it unchanged.
  const locked: Parameters<typeof fileHandler>[3] = (location, context, signal) =>
    whileChanging(files, location.real, (ensureHeld) => apply(location, context, ensureHeld, signal), signal)
  return fileHandler("ApplyEdits", files, path, locked, { retry: "never" })
}
