/** The parts of a call that rules match: its primary parameter, its paths. */

/** The properties of a tool that filters read. */
export interface FilteredTool {
  readonly name: string
  /** More names under which rules can refer to the tool. */
  readonly ruleNames?: ReadonlyArray<string> | undefined
  /** The parameter that rules match. Without it and without `paths`, rules match `""`. */
  readonly primaryParam?: string | undefined
  readonly primaryKind: "command" | "path" | "text"
  /** The paths that a call names. */
  readonly paths?: ((params: unknown) => ReadonlyArray<string>) | undefined
  /** The parameter with the folder that a call works in. */
  readonly workingDirParam?: string | undefined
}

export type Subject =
  | { readonly kind: "command" | "path" | "text"; readonly text: string }
  /** A value of the wrong type, with the strings in it. */
  | { readonly kind: "unreadable"; readonly texts: ReadonlyArray<string>; readonly because: string }

const maxTexts = 10_000

/** Every string in a value, and the empty one. */
const textsIn = (value: unknown): Array<string> => {
  const texts = [""]
  const seen = new Set<unknown>()
  const pending = [value]
  while (pending.length > 0 && texts.length < maxTexts) {
    const next = pending.pop()
    if (typeof next === "string") texts.push(next)
    if (typeof next !== "object" || next === null || seen.has(next)) continue
    seen.add(next)
    pending.push(...Object.values(next))
  }
  return texts
}

/** A parameter, unless it is inherited from the prototype. */
export const ownParam = (params: unknown, name: string): unknown =>
  typeof params === "object" && params !== null && Object.hasOwn(params, name)
    ? (params as Record<string, unknown>)[name]
    : undefined

const primaryOf = (tool: FilteredTool, params: unknown, name: string): Subject => {
  const value = ownParam(params, name)
  if (typeof value === "string") return { kind: tool.primaryKind, text: value }
  return { kind: "unreadable", texts: textsIn(value), because: `\`${name}\` is no text.` }
}

const pathsOf = (tool: FilteredTool, params: unknown): Array<Subject> => {
  if (tool.paths === undefined) return []
  try {
    const paths: unknown = tool.paths(params)
    if (Array.isArray(paths) && paths.every((path) => typeof path === "string")) {
      return paths.map((text) => ({ kind: "path", text }))
    }
  } catch {
    // The call is unreadable, as below.
  }
  return [{ kind: "unreadable", texts: textsIn(params), because: "The paths of the call are not known." }]
}

/** Returns at least one. */
export const subjectsOf = (tool: FilteredTool, params: unknown): ReadonlyArray<Subject> => {
  const { primaryParam } = tool
  const subjects = primaryParam === undefined ? [] : [primaryOf(tool, params, primaryParam)]
  subjects.push(...pathsOf(tool, params))
  return subjects.length > 0 ? subjects : [{ kind: "text", text: "" }]
}
