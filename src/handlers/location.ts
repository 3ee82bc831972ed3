/** Resolves a path from a model: relative to the executor's folder, links resolved, inside the workspace. */
import { isAbsolute, relative, resolve, sep } from "node:path"
import type { Files } from "../io/files.ts"
import type { HandlerContext } from "../model/handler.ts"
import { ToolError } from "../model/step.ts"

export interface Location {
  /** As the model gave it; used in messages. */
  readonly path: string
  /** With every link resolved; used to read and write. */
  readonly real: string
}

const isInside = (folder: string, path: string): boolean => {
  const way = relative(folder, path)
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

/** Rejects with a ToolError if the path leaves the context's workspace. */
export const locate = async (files: Files, context: HandlerContext, path: string): Promise<Location> => {
  const { cwd, workspace } = context
  const real = await files.resolveLinks(resolve(cwd, path))
  if (workspace !== undefined) {
    const folder = await files.resolveLinks(resolve(cwd, workspace))
    if (!isInside(folder, real)) {
      throw new ToolError(`${path} is outside the workspace ${workspace}. Use a path inside it.`)
    }
  }
  return { path, real }
}
