/** Checks of a file before an approval is requested. They change nothing. */
import { type Files, localFiles } from "../io/files.ts"
import type { EffectHandler } from "../model/handler.ts"
import { Step, ToolError } from "../model/step.ts"
import { fileHandler } from "./file-handler.ts"
import type { Location } from "./location.ts"

/** The file to check. */
export interface FileTarget {
  /** Relative paths start at the executor's `cwd`. */
  readonly path: string
}

/** Resolves with the size in bytes of a regular file. Rejects with a ToolError for anything else. */
export const expectFile = async (files: Files, { path, real }: Location): Promise<number> => {
  const info = await files.stat(real)
  if (info === undefined) {
    throw new ToolError(
      `File not found: ${path}. Check the path; relative paths start at the working directory.`,
    )
  }
  if (info.kind === "directory") {
    throw new ToolError(`${path} is a directory, not a file. List it with the shell tool: ls ${path}`)
  }
  if (info.kind === "other") {
    throw new ToolError(
      `${path} is not a regular file but a device, a pipe or a socket. It cannot be read or edited.`,
    )
  }
  return info.size
}

/** Throws a ToolError for a path with a final slash, whether or not it exists: resolving it would drop the slash. */
export const expectFileName = (path: string): void => {
  if (!path.endsWith("/")) return
  throw new ToolError(`${path} is the path of a folder. Choose the path of a file.`)
}

/** Continues if the path is a regular file. */
export const ValidateFile = ({ path }: FileTarget, files: Files = localFiles): EffectHandler =>
  fileHandler("ValidateFile", files, path, async (location) => {
    await expectFile(files, location)
    return Step.Continue
  })

/** Continues if this process may write the file. */
export const ValidateFileWritable = ({ path }: FileTarget, files: Files = localFiles): EffectHandler =>
  fileHandler("ValidateFileWritable", files, path, async ({ real }) =>
    (await files.isWritable(real))
      ? Step.Continue
      : Step.Error(`${path} is not writable. Change its permissions, or choose another file.`),
  )

/** Continues if nothing exists at the path. */
export const ValidateFileNotExists = ({ path }: FileTarget, files: Files = localFiles): EffectHandler =>
  fileHandler("ValidateFileNotExists", files, path, async ({ real }) => {
    const info = await files.stat(real)
    if (info === undefined) {
      expectFileName(path)
      return Step.Continue
    }
    return info.kind === "directory"
      ? Step.Error(`${path} is a directory. Choose the path of a file.`)
      : Step.Error(`File already exists: ${path}. Use edit_file to change it.`)
  })
