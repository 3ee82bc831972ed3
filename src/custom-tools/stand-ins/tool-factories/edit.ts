/** pi's `edit`: replaces texts in a file. */
import { type Static, Type } from "@sinclair/typebox"
import { changedText } from "../../../handlers/changed-text.ts"
import { localFiles } from "../../../io/files.ts"
import { withFileMutationQueue } from "../file-mutation-queue.ts"
import { formatSize } from "../truncation.ts"
import { type FactoryOptions, type FactoryTool, factoryTool, failingTo, textContent } from "./factory-tool.ts"
import { numberedDiff } from "./numbered-diff.ts"
import { fileAt, resolvePath } from "./paths.ts"
import { replaceTexts } from "./replace-texts.ts"
import { writeLocalFile } from "./write.ts"

// Further properties that models send are ignored.
const replacement = Type.Object({
  oldText: Type.String({
    description: "What to replace, exactly as it stands in the file, where it must be unique",
  }),
  newText: Type.String({ description: "What to put in its place" }),
})

const parameters = Type.Object({
  path: Type.String({ description: "File to edit, relative or absolute" }),
  edits: Type.Array(replacement, {
    description:
      "Replacements in places that are apart. Each is looked for in the file as it is now, not as the ones before leave it; make changes that are close to each other one edit.",
  }),
})

/** How the tool accesses files. */
export interface EditOperations {
  readFile(path: string): Promise<Buffer>
  writeFile(path: string, content: string): Promise<void>
  /** Rejects if the file cannot be read and written. */
  access(path: string): Promise<void>
}

export interface EditToolDetails {
  /** With line numbers. */
  readonly diff: string
  /** Unified; empty for too many changes to show. */
  readonly patch: string
  /** Line number in the new text, from 1. */
  readonly firstChangedLine?: number
}

const maxFileBytes = 64 * 1024 * 1024

const failWith = (code: string): never => {
  throw Object.assign(new Error(code), { code })
}

const localOperations: EditOperations = {
  access: async (path) => {
    const { real, info } = await fileAt(path)
    if (info === undefined) failWith("ENOENT")
    else if (info.kind === "directory") failWith("EISDIR")
    else if (info.kind === "other") failWith("EINVAL")
    else if (!(await localFiles.isWritable(real))) failWith("EACCES")
    else if (info.size > maxFileBytes) {
      throw new Error(`it has ${formatSize(info.size)}, the limit is ${formatSize(maxFileBytes)}`)
    }
  },
  readFile: async (path) => Buffer.from(await localFiles.read(await localFiles.resolveLinks(path))),
  writeFile: writeLocalFile,
}

const isEdit = (value: unknown): boolean => {
  const { oldText, newText } = (value ?? {}) as Record<string, unknown>
  return typeof oldText === "string" && typeof newText === "string"
}

/** Accepts variants that some models send: the edits as a JSON string, a single edit instead of a list, or one beside the path. */
const prepareArguments = (args: unknown): unknown => {
  if (typeof args !== "object" || args === null) return args
  const { oldText, newText, edits, ...rest } = args as Record<string, unknown>
  let list = edits
  if (typeof edits === "string") {
    try {
      list = JSON.parse(edits)
    } catch {
      return args
    }
  }
  if (isEdit(list)) list = [list]
  if (!isEdit(args)) return { ...args, ...(list !== undefined && { edits: list }) }
  return { ...rest, edits: [...(Array.isArray(list) ? list : []), { oldText, newText }] }
}

/**
 * pi's `edit` for a working directory. Parameters: `path`, `edits: [{ oldText, newText }]`. Returns the number of
 * replacements; `details` contain `diff`, with line numbers, `patch`, a unified one, and `firstChangedLine`. Rejects, and
 * writes nothing, if a text is missing, occurs twice or overlaps another one, and if the file is not UTF-8 text of at most
 * 64 MB. The published tool normalises the line endings of the whole file and, after a loose match, writes the whole file in
 * its normalised form; this one changes nothing outside of the replaced places.
 */
export const createEditTool = (
  cwd: string,
  { operations = localOperations }: FactoryOptions<EditOperations> = {},
): FactoryTool<typeof parameters, EditToolDetails | undefined> =>
  factoryTool({
    name: "edit",
    description:
      "Edit a file by replacing texts. Each oldText must stand exactly once in the file, and the places must be apart; keep it as short as is unique.",
    promptSnippet: "Edit files by replacing exact texts",
    parameters,
    prepareArguments,
    run: async (params, signal) => {
      // Wrappers with their own schema pass on unprepared parameters.
      const { path, edits } = prepareArguments(params) as Static<typeof parameters>
      if (!Array.isArray(edits) || edits.length === 0)
        throw new Error("Edit tool input is invalid. edits must contain at least one replacement.")
      const absolute = resolvePath(path, cwd)
      const fail = failingTo("edit", path)
      const { before, after } = await withFileMutationQueue(absolute, async () => {
        signal?.throwIfAborted()
        await operations.access(absolute).catch(fail)
        const bytes = await operations.readFile(absolute)
        const changed = changedText(bytes, (text) => replaceTexts(text, edits, path))
        if (changed === undefined) return fail("It is not valid UTF-8 text")
        signal?.throwIfAborted()
        await operations.writeFile(absolute, changed.content).catch(fail)
        return changed
      })
      // Loaded when needed: it takes longer than everything else here.
      const details = numberedDiff(await import("diff"), path, before, after)
      return { content: textContent(`Successfully replaced ${edits.length} block(s) in ${path}.`), details }
    },
  })
