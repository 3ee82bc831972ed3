/** Creates a new file, and its missing folders. */
import { type Files, localFiles } from "../io/files.ts"
import type { EffectHandler } from "../model/handler.ts"
import { Step } from "../model/step.ts"
import { textOutput } from "../output/output.ts"
import type { FileChange } from "./file-change.ts"
import { changing } from "./file-changes.ts"
import { fileHandler } from "./file-handler.ts"
import { expectWholeCharacters } from "./text-edits.ts"
import { expectFileName } from "./validate-file.ts"

/** Which file to write, and its content. */
export interface WriteFileOptions {
  /** Relative paths start at the executor's `cwd`. */
  readonly path: string
  readonly content: string
  /** Updated once the file was written. */
  readonly change?: FileChange
}

const countLines = (content: string): number => {
  if (content === "") return 0
  const newlines = content.split("\n").length - 1
  return content.endsWith("\n") ? newlines : newlines + 1
}

/** Outputs `Created <path> (N lines)`. A file that exists, or appears meanwhile, is an Error and is not changed. */
export const WriteFile = (options: WriteFileOptions, files: Files = localFiles): EffectHandler => {
  const { path, content, change } = options
  const create: Parameters<typeof fileHandler>[3] = async ({ real }, context, signal) => {
    expectFileName(path)
    expectWholeCharacters(content, "content")
    const after = Buffer.from(content)
    const made = [{ path: real, before: "nothing" as const, after }]
    await changing(context, files, made, () => files.create(real, after, signal))
    change?.wrote(context.memory)
    const lines = countLines(content)
    return Step.Output({
      ...textOutput(`Created ${path} (${lines} ${lines === 1 ? "line" : "lines"})`),
      details: { path, lines },
    })
  }
  return fileHandler("WriteFile", files, path, create, { retry: "never" })
}
