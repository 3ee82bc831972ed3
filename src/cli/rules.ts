/** The rules of the command line and the configuration file. */

import type { ToolRegistry } from "../model/registry.ts"
import { ToolFilters, type ToolFiltersOptions } from "../policy/filters.ts"
import type { ToolFilterConfig } from "../policy/index.ts"
import { isPlainObject } from "../schema/plain-object.ts"
import { messageOf } from "../text/message-of.ts"
import { readConfigFile } from "./config-file.ts"
import { UsageError } from "./usage-error.ts"

/** By tool name. */
export type PlaceRules = Readonly<Record<string, { readonly sandboxed: "approve"; readonly source: string }>>

export interface RuleOptions {
  /** Each is `TOOL=REGEX`. */
  readonly allow?: ReadonlyArray<string>
  readonly deny?: ReadonlyArray<string>
  /** A TOML or JSON file with `[tools.NAME] allow/deny`, and `sandboxed = "approve"`. */
  readonly config?: string
  /** The file of remembered rules. Default: that of a trusted project, else the user's own. */
  readonly rules?: string
}

/** The tools that rules may name. */
export type NamedTools = Pick<ToolRegistry, "get" | "names">

const expectTool = (name: string, registry: NamedTools, where: string): void => {
  // A matching tool can be registered later, by a server.
  if (registry.get(name) !== undefined || name.includes("*") || name.startsWith("mcp__")) return
  // A deny rule for a missing tool would silently protect nothing.
  throw new UsageError(`${where}: there is no tool \`${name}\`. Tools: ${registry.names.join(", ")}`)
}

interface Config {
  readonly rules: ToolFilterConfig
  readonly places: PlaceRules
}

/** Separates `sandboxed`, which is not a pattern rule: it applies by where the tool runs. */
const splitPlaces = (tools: Record<string, unknown>, file: string): Config => {
  const places: Record<string, PlaceRules[string]> = {}
  const rules: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(tools)) {
    const { sandboxed, ...rest } = isPlainObject(value) ? value : {}
    rules[name] = isPlainObject(value) ? rest : value
    if (sandboxed === undefined) continue
    if (sandboxed !== "approve") {
      throw new UsageError(`${file}: expected \`sandboxed\` of tool \`${name}\` to be "approve"`)
    }
    places[name] = { sandboxed, source: file }
  }
  return { rules: rules as ToolFilterConfig, places }
}

/** Reads the rules of a configuration file. An error names the file and the key. */
const readConfig = async (file: string, registry: NamedTools): Promise<Config> => {
  const { tools } = await readConfigFile(file)
  for (const name of Object.keys(tools)) expectTool(name, registry, file)
  const read = splitPlaces(tools, file)
  try {
    ToolFilters.compile(read.rules)
  } catch (error) {
    throw new UsageError(`${file}: ${messageOf(error)}`)
  }
  return read
}

/** Converts a rule of the command line to the form of a configuration. */
const ruleOf = (kind: "allow" | "deny", text: string, registry: NamedTools): ToolFilterConfig => {
  const equals = text.indexOf("=")
  if (equals < 1) throw new UsageError(`--${kind} ${text}: expected TOOL=REGEX, such as shell=^ls\\b`)
  const name = text.slice(0, equals)
  expectTool(name, registry, `--${kind} ${text}`)
  return { [name]: { [kind]: [text.slice(equals + 1)] } }
}

export interface LoadedRules {
  readonly filters: ToolFilters
  /** The rules that apply only in a sandbox. */
  readonly places: PlaceRules
}

/**
 * Loads the filters: the rules of the file and of the command line together.
 *
 * @param options Options of the filters: the base of relative paths, and the callback that stores remembered rules.
 */
export const loadFilters = async (
  { allow = [], deny = [], config }: RuleOptions,
  registry: NamedTools,
  options: Pick<ToolFiltersOptions, "cwd" | "onRemember" | "onUnknownTool">,
): Promise<LoadedRules> => {
  const filters = ToolFilters.empty(options)
  const read = config === undefined ? undefined : await readConfig(config, registry)
  if (config !== undefined && read !== undefined) filters.add(read.rules, config)
  const allowed = allow.map((text) => ruleOf("allow", text, registry))
  const denied = deny.map((text) => ruleOf("deny", text, registry))
  try {
    for (const rule of allowed) filters.add(rule, "--allow")
    for (const rule of denied) filters.add(rule, "--deny")
  } catch (error) {
    throw new UsageError(messageOf(error))
  }
  return { filters, places: read?.places ?? {} }
}
