/** The factory of a module. What it gives is read where the guards of foreign code hold, and comes out as plain data. */
import { messageOf } from "../../text/message-of.ts"
import { type AnyTool, takeTool } from "../tool-shape.ts"
import { runIsolated } from "./isolation.ts"
import type { ModuleLoader } from "./module-loader.ts"
import { isDeclarative } from "./tool-paths.ts"

/** What was returned: each tool, undefined for what is none; or undefined for nothing at all. */
export type ReturnedTools = ReadonlyArray<AnyTool | undefined> | undefined

export type Factory = (api: object) => Promise<ReturnedTools>

/** Rejects with what the module throws. Gives undefined where it exports no function. */
export const loadFactory = (loader: ModuleLoader, resolvedPath: string): Promise<Factory | undefined> =>
  loader.load(resolvedPath, (exported) =>
    typeof exported === "function"
      ? (api) => loader.call<unknown, ReturnedTools>(resolvedPath, () => exported(api), toTools)
      : undefined,
  )

/** The same in the words of the loaders: the factory, or why there is none. */
export const openModule = async (
  loader: ModuleLoader,
  resolvedPath: string,
): Promise<{ readonly factory: Factory } | { readonly error: string }> => {
  if (isDeclarative(resolvedPath)) {
    return { error: "Declarative tool files (.md, .json) cannot be loaded as executable modules" }
  }
  try {
    const factory = await loadFactory(loader, resolvedPath)
    return factory === undefined ? { error: "Tool must export a default function" } : { factory }
  } catch (error) {
    return { error: loadFailure(resolvedPath, error) }
  }
}

const toTools = (returned: unknown): ReturnedTools => {
  if (returned === undefined || returned === null) return undefined
  return (Array.isArray(returned) ? Array.from<unknown>(returned) : [returned]).map(takeTool)
}

/** The sentence for what a module threw. */
export const loadFailure = (resolvedPath: string, error: unknown): string =>
  runIsolated(resolvedPath, () => `Failed to load tool: ${messageOf(error)}`)
