/** pi's `write`: writes a file, and creates it and its folders if they are missing. */
import { dirname } from "node:path"
import { Type } from "@sinclair/typebox"
import { changing } from "../../../handlers/file-changes.ts"
import { localFiles } from "../../../io/files.ts"
import { currentCall } from "../../current-call.ts"
import { withFileMutationQueue } from "../file-mutation-queue.ts"
import { type FactoryOptions, type FactoryTool, factoryTool, failingTo, textContent } from "./factory-tool.ts"
import { resolvePath } from "./paths.ts"

const parameters = Type.Object({
  path: Type.String({ description: "File to write, relative or absolute" }),
  content: Type.String({ description: "What the file is to hold" }),
})

/** How the tool accesses files. */
export interface WriteOperations {
  writeFile(path: string, content: string): Promise<void>
  /** Makes a folder and its parents. */
  mkdir(folder: string): Promise<void>
}

const codeOf = (cause: unknown): unknown => (cause as { code?: unknown } | null)?.code

/** Writes a file in one step, so that nobody reads half of it. The former content is recorded for `undo`. */
export const writeLocalFile = async (path: string, content: string, signal?: AbortSignal): Promise<void> => {
  const real = await localFiles.resolveLinks(path)
  const recorder = { changes: currentCall.getStore()?.changes }
  await changing(recorder, localFiles, [{ path: real }], () => write(real, Buffer.from(content), signal))
}

const write = async (real: string, bytes: Buffer, signal?: AbortSignal): Promise<void> => {
  if ((await localFiles.stat(real)) === undefined) {
    try {
      return await localFiles.create(real, bytes, signal)
    } catch (cause) {
      // The file appeared meanwhile.
      if (codeOf(cause) !== "EEXIST") throw cause
    }
  }
  if ((await localFiles.stat(real))?.kind !== "file") throw new Error("It is not a regular file")
  await localFiles.replace(real, bytes, signal)
}

const writeWith =
  (operations: WriteOperations): typeof writeLocalFile =>
  async (path, content, signal) => {
    await operations.mkdir(dirname(path))
    signal?.throwIfAborted()
    await operations.writeFile(path, content)
  }

/**
 * pi's `write` for a working directory. Parameters: `path`, `content`. Rejects if `path` exists and is not a regular file.
 * The published tool writes in place; this one in one step, keeping the file's mode, so that nobody reads half of it.
 */
export const createWriteTool = (
  cwd: string,
  { operations }: FactoryOptions<WriteOperations> = {},
): FactoryTool<typeof parameters, undefined> =>
  factoryTool({
    name: "write",
    description:
      "Write a file. Makes it, and the folders that it needs, where it is not there, and replaces all that it holds where it is.",
    promptSnippet: "Make or replace files",
    parameters,
    run: async ({ path, content }, signal) => {
      const absolute = resolvePath(path, cwd)
      const writeFile = operations === undefined ? writeLocalFile : writeWith(operations)
      await withFileMutationQueue(absolute, async () => {
        signal?.throwIfAborted()
        await writeFile(absolute, content, signal).catch(failingTo("write", path))
      })
      return { content: textContent(`Successfully wrote to ${path}`), details: undefined }
    },
  })
