/**
 * Allow rules for exactly one call: with all of its parameters, in the same folder, and with its paths leading to the same files.
 */
import { resolve } from "node:path"
import { type CallFolder, holdsIn, ruleFolder } from "./call-folder.ts"
import { canonicalJson } from "./canonical-json.ts"
import { type Place, pathForms, realPath } from "./path-forms.ts"
import type { CallRule, Rule } from "./rules.ts"
import { type FilteredTool, subjectsOf } from "./subjects.ts"

/** The longest call that can be remembered, in characters: its rule contains the whole call. */
const maxCall = 64_000

/** Relative paths of a call in another folder start at that folder. */
export const placeIn = ({ isExecutors, real }: CallFolder, place: Place): Place =>
  isExecutors || real === undefined ? place : { ...place, start: real }

/** The files that the paths of a call lead to; empty if each path leads to the file that it names in that folder. */
const leadsTo = (
  tool: FilteredTool,
  params: unknown,
  folder: string,
  place: Place,
): ReadonlyArray<string> | undefined => {
  const paths = subjectsOf(tool, params).flatMap((subject) => (subject.kind === "path" ? [subject.text] : []))
  const real = paths.map((path) => pathForms(path, place)?.real())
  if (real.includes(undefined)) return undefined
  const list = (names: ReadonlyArray<string>) => [...new Set(names)].sort()
  const found = list(real.flatMap((forms) => forms!.map(({ absolute }) => absolute)))
  const named = list(paths.map((path) => resolve(folder, path)))
  return found.join("\0") === named.join("\0") ? [] : found
}

/** The rule for exactly this call; undefined if no such rule is possible. Throws for parameters that are not JSON. */
export const ruleOfCall = (
  tool: FilteredTool,
  params: unknown,
  folder: CallFolder,
  place: Place,
): CallRule | undefined => {
  const call = canonicalJson(params)
  const where = folder.isExecutors ? realPath(place.start) : folder.real
  if (call.length > maxCall || where === undefined) return undefined
  const leading = leadsTo(tool, params, where, placeIn(folder, place))
  if (leading === undefined) return undefined
  return { call, workingDir: ruleFolder(where), ...(leading.length > 0 && { leadsTo: leading }) }
}

/** The rule for exactly this call, if there is one. */
export const findCallRule = (
  rules: ReadonlyArray<Rule>,
  tool: FilteredTool,
  params: unknown,
  folder: CallFolder,
  place: Place,
): Rule | undefined => {
  const those = rules.filter(({ call }) => call !== undefined)
  if (those.length === 0) return undefined
  const asked = ruleOfCall(tool, params, folder, place)
  const files = JSON.stringify(asked?.leadsTo ?? [])
  return those.find(
    (rule) =>
      rule.call!.call === asked?.call &&
      JSON.stringify(rule.call!.leadsTo ?? []) === files &&
      holdsIn(rule, folder, place),
  )
}
