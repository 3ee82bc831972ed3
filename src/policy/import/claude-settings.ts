/** The permissions in a settings file of Claude Code, as https://code.claude.com/docs/en/permissions describes them. */
import { homedir } from "node:os"
import { addCommandRule } from "./claude-commands.ts"
import { addFetchRule } from "./claude-domains.ts"
import { addFileRule } from "./claude-files.ts"
import { type ImportedRule, type ImportedRules, Importing, type Outcome } from "./imported.ts"

/** The options of `importClaudeSettings`. */
export interface ClaudeSettingsOptions {
  /** The folder that `~/` means. Default: the home folder of this process. */
  readonly home?: string
  /**
   * The folder that the settings apply to, in which patterns with one leading slash begin: the project's, or `~/.claude` for the
   * user's own. Default: unknown, so such a pattern allows nothing, and denies wherever it may begin.
   */
  readonly root?: string
}

type AddRule = (importing: Importing, spec: string, entry: ImportedRule) => Outcome

const none = (because: string): Outcome => ({ status: "dropped", because })

/** Adds a rule for a tool that has another name in this library. */
const addNamed =
  (tool: string): AddRule =>
  (importing, spec, entry) => {
    const { kind, source } = entry
    if (spec !== "" && kind === "allow") return none("The text in the brackets is not known here.")
    if (spec !== "") {
      importing.leaveAsked(tool, source)
      return {
        status: "asked",
        because: "The text in the brackets is not known here, so every call asks.",
      }
    }
    if (kind === "allow") importing.allow(tool, { body: "[^]*", head: "" }, entry)
    else if (kind === "deny") importing.deny(tool, ".*")
    else importing.leaveAsked(tool, source)
    return kind === "ask" ? { status: "asked", because: "No rule here allows it." } : { status: "same" }
  }

const adding: ReadonlyMap<string, AddRule> = new Map([
  ["Bash", addCommandRule],
  ["WebFetch", addFetchRule],
  ["WebSearch", addNamed("web_search")],
  ["Agent", addNamed("spawn_agent")],
  ["Task", addNamed("spawn_agent")],
])

/** Adds a rule for the tools of an MCP server, which have the same names in rules of this library. */
const addServerRule = (importing: Importing, name: string, { kind }: ImportedRule): Outcome => {
  // The name of a server alone, or followed by a bare `*`, means all of its tools.
  const names = /^mcp__.+?__|\*/.test(name) ? name : `${name}__*`
  if (kind === "allow") {
    const because = `No server is trusted by what is imported. To allow it, write a rule for \`${names}\`.`
    return { status: "asked", because }
  }
  if (kind === "ask") return { status: "asked", because: "No rule here allows it." }
  importing.deny(names, ".*")
  return { status: "same" }
}

const addByName = (
  importing: Importing,
  name: string,
  spec: string,
  entry: ImportedRule,
  options: Required<Pick<ClaudeSettingsOptions, "home">> & ClaudeSettingsOptions,
): Outcome => {
  const file = addFileRule(name, options)
  const add = file ?? adding.get(name)
  if (add !== undefined) return add(importing, spec, entry)
  if (name.startsWith("mcp__")) return addServerRule(importing, name, entry)
  return none(`There is no tool like \`${name}\` here.`)
}

const known = ["Bash", "WebFetch", "WebSearch", "Agent", "Read", "Edit", "Write", "Grep"]

/** Adds a rule with `*` in place of a tool's name, which only deny and ask rules may have. */
const addGlob = (
  importing: Importing,
  glob: string,
  entry: ImportedRule,
  options: Parameters<typeof addByName>[4],
): Outcome => {
  if (entry.kind === "allow") return none("Claude Code skips such a rule, for it names no tool.")
  const names = known.filter((name) =>
    new RegExp(
      `^${glob
        .split("*")
        .map((text) => text.replace(/[^\w]/g, "\\$&"))
        .join(".*")}$`,
    ).test(name),
  )
  for (const name of names) addByName(importing, name, "", entry, options)
  return {
    status: "asked",
    because: `${names.length === 0 ? "No tool here has such a name." : `For ${names.join(", ")} it is as there.`} Tools of MCP servers are asked.`,
  }
}

const addRule = (
  importing: Importing,
  entry: ImportedRule,
  options: Parameters<typeof addByName>[4],
): Outcome => {
  const [, name, spec] = /^\s*([\w*-]+)\s*(?:\(([\s\S]*)\))?\s*$/.exec(entry.source) ?? []
  if (name === undefined) return none("It is no rule, as `Bash(npm test)` or `Read` is.")
  const inside = spec?.trim() ?? ""
  if (spec !== undefined && spec.trim() === "") return none("There is nothing in its brackets.")
  if (name.includes("*") && !name.startsWith("mcp__")) return addGlob(importing, name, entry, options)
  const isAll = inside === "*" && adding.has(name)
  return addByName(importing, name, isAll ? "" : inside, entry, options)
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const permissionsOf = (text: string): Record<string, unknown> => {
  let settings: unknown
  try {
    settings = JSON.parse(text)
  } catch (error) {
    throw new TypeError(`The settings are no JSON: ${(error as Error).message}`, { cause: error })
  }
  if (!isRecord(settings)) throw new TypeError("Expected the settings to be an object with `permissions`")
  const { permissions = {} } = settings
  if (!isRecord(permissions)) throw new TypeError("Expected `permissions` of the settings to be an object")
  return permissions
}

/**
 * Translates `permissions.allow`, `ask` and `deny` of a settings file of Claude Code. Everything that is allowed here is allowed
 * there too; everything that is denied or asked there is not allowed here. Throws a TypeError for a text that is not such a file.
 *
 * @example
 * const { rules, report } = importClaudeSettings('{ "permissions": { "allow": ["Bash(npm test)"] } }')
 */
export const importClaudeSettings = (text: string, options: ClaudeSettingsOptions = {}): ImportedRules => {
  const permissions = permissionsOf(text)
  const importing = new Importing()
  const roots = { home: homedir(), ...options }
  for (const kind of ["deny", "ask", "allow"] as const) {
    const list = permissions[kind] ?? []
    if (!Array.isArray(list)) throw new TypeError(`Expected \`permissions.${kind}\` to be an array of rules`)
    for (const rule of list as ReadonlyArray<unknown>) {
      const source = typeof rule === "string" ? rule : (JSON.stringify(rule) ?? String(rule))
      importing.add(source, kind, (entry) =>
        typeof rule === "string" ? addRule(importing, entry, roots) : none("It is no text."),
      )
    }
  }
  return importing.result()
}
