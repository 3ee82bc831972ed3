/** The factory of a module that was loaded, and what it returns. */
import type { AnyTool } from "../tool-shape.ts"

/** The returned tools, undefined for each invalid one; or undefined if nothing was returned. */
export type ReturnedTools = ReadonlyArray<AnyTool | undefined> | undefined

export type Factory = (api: object) => Promise<ReturnedTools>

/** A module's factory, and the problems of single tools of it that are known already; or why there is none. */
export type OpenedModule =
  | { readonly factory: Factory; readonly errors?: ReadonlyArray<string> }
  | { readonly error: string }
