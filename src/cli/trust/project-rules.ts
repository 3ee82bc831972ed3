/** The rules of a project folder, in `.stepline/rules.toml`. They approve nothing until the folder is trusted. */
import { createHash } from "node:crypto"
import { join } from "node:path"
import { ruleText } from "../../hosts/terminal/remembered-rules.ts"
import { visibleLine } from "../../hosts/terminal/render-text.ts"
import { ToolFilters } from "../../policy/filters.ts"
import { parseRules, textOf } from "../../policy/rule-file.ts"
import { messageOf } from "../../text/message-of.ts"

/** The path of the rules, in a project and in the home folder. */
export const rulesName = join(".stepline", "rules.toml")

export interface ProjectRules {
  readonly path: string
  /** The file's content, read once, so that the user decides about what is used. */
  readonly text: string
  readonly hash: string
}

export const rulesHash = (text: string): string => createHash("sha256").update(text).digest("hex")

/** Resolves with undefined if there are none. */
export const projectRules = async (folder: string): Promise<ProjectRules | undefined> => {
  const path = join(folder, rulesName)
  const text = await textOf(path).catch((error) => `# It cannot be read: ${messageOf(error)}\n[`)
  return text === "" ? undefined : { path, text, hash: rulesHash(text) }
}

/** Lists the rules, with warnings, for a person who decides about them. */
export const rulesToShow = async ({ path, text }: ProjectRules): Promise<Array<string>> => {
  try {
    const rules = await parseRules(path, text)
    const named = Object.entries(rules).flatMap(([name, { allow = [], deny = [] }]) => [
      ...allow.map((rule) => `allows ${name}: ${ruleText(rule)}`),
      ...deny.map((rule) => `denies ${name}: ${rule}`),
    ])
    return [...named, ...ToolFilters.compile(rules).warnings].map((line) => visibleLine(line))
  } catch (error) {
    return [visibleLine(messageOf(error))]
  }
}
