/** The frame of handlers that work on one file: it finds the file, supports interruption, and describes every failure. */
import type { Files } from "../io/files.ts"
import { type EffectHandler, type HandlerContext, handler } from "../model/handler.ts"
import { Step, ToolError } from "../model/step.ts"
import { abortable } from "./abortable.ts"
import { type Location, locate } from "./location.ts"

const sentences: Readonly<Record<string, (path: string) => string>> = {
  EACCES: (path) => `Permission denied: ${path}`,
  EPERM: (path) => `Permission denied: ${path}`,
  EROFS: (path) => `${path} is on a read-only file system.`,
  EEXIST: (path) => `File already exists: ${path}. Use edit_file to change it.`,
  ENOENT: (path) => `File not found: ${path}. Check the path.`,
  ENOTDIR: (path) => `A part of ${path} is a file, not a folder. Check the path.`,
  EISDIR: (path) => `${path} is a directory, not a file.`,
  ELOOP: (path) => `Too many symbolic links in ${path}.`,
  ENAMETOOLONG: (path) => `The path is too long: ${path}`,
  ESTALE: (path) =>
    `${path} was moved, or replaced by a link, while it was being opened. Nothing was written. Try again.`,
  EFTYPE: (path) =>
    `${path} is not a regular file but a device, a pipe or a socket. It cannot be read or edited.`,
  EMLINK: (path) =>
    `${path} has other names (hard links), and cannot be replaced without writing to those too. Copy it, and edit the copy.`,
  ENOSPC: (path) => `No space left on the device of ${path}. Nothing was written.`,
}

/** The message to the model for a file system error. */
const sentenceOf = (cause: unknown, path: string): string => {
  if (cause instanceof ToolError) return cause.message
  const { code, message } = cause as NodeJS.ErrnoException
  return sentences[String(code)]?.(path) ?? `Cannot access ${path}: ${message}`
}

export const fileHandler = (
  name: string,
  files: Files,
  path: string,
  work: (location: Location, context: HandlerContext, signal: AbortSignal) => Promise<Step>,
  options?: Pick<EffectHandler, "retry">,
): EffectHandler =>
  handler(
    name,
    (context) =>
      abortable(async (signal) => {
        try {
          if (path === "") throw new ToolError("The path is empty. Give the path of a file.")
          return await work(await locate(files, context, path), context, signal)
        } catch (cause) {
          const message = sentenceOf(cause, path)
          return cause instanceof ToolError ? Step.Error(message) : Step.Error(message, { cause })
        }
      }),
    options,
  )
