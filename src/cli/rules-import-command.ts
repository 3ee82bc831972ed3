/** `stepline rules import`: converts the permission rules of another agent. */
import { mkdir, rm, writeFile } from "node:fs/promises"
import { homedir } from "node:os"
import { basename, dirname, extname, join, resolve } from "node:path"
import { visibleLine } from "../hosts/terminal/render-text.ts"
import { writeFault } from "../io/file-fault.ts"
import { type ImportedRules, importClaudeSettings, importCodexRules } from "../policy/index.ts"
import { messageOf } from "../text/message-of.ts"
import { exitStatus } from "./tally.ts"
import { readTextFile } from "./text-file.ts"
import { UsageError } from "./usage-error.ts"

export interface RulesImportOptions {
  /** The file to create. Default: none. */
  readonly out?: string
  readonly json?: boolean
}

/** The folder that settings apply to, by their location; undefined for any other location. */
const rootOf = (file: string): string | undefined => {
  const folder = dirname(resolve(file))
  if (basename(folder) !== ".claude") return undefined
  return folder === join(homedir(), ".claude") ? folder : dirname(folder)
}

const translate = (file: string, text: string): ImportedRules => {
  const extension = extname(file)
  if (extension === ".json" || (extension !== ".rules" && /^\s*\{/.test(text))) {
    const root = rootOf(file)
    return importClaudeSettings(text, root === undefined ? {} : { root })
  }
  if (extension === ".rules" || /\bprefix_rule\s*\(/.test(text)) return importCodexRules(text)
  throw new UsageError(
    `${file}: expected the settings of Claude Code (settings.json), or rules of Codex with prefix_rule(…) (default.rules)`,
  )
}

const write = async (out: string, file: string, { rules }: ImportedRules): Promise<void> => {
  const { stringify } = await import("smol-toml")
  const from = visibleLine(file)
  try {
    await mkdir(dirname(resolve(out)), { recursive: true })
    // A private mode and no overwriting, because a rules file can contain a person's answers.
    await writeFile(out, `# From ${from}\n\n${stringify({ tools: rules })}`, { flag: "wx", mode: 0o600 })
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === "EEXIST"
    // In a part of the file, deny rules would be missing.
    if (!isThere) await rm(out, { force: true }).catch(() => {})
    throw new UsageError(
      `--out ${out}: ${isThere ? "there is such a file. Give the name of a new one" : writeFault(error)}`,
    )
  }
}

const show = ({ rules, report }: ImportedRules, out: string | undefined): void => {
  const counts = new Map<string, number>()
  for (const { kind, status, source, because } of report) {
    counts.set(status, (counts.get(status) ?? 0) + 1)
    process.stdout.write(`${status}: ${kind} ${visibleLine(source)}\n`)
    if (because !== undefined) process.stdout.write(`  ${visibleLine(because)}\n`)
  }
  const counted = [...counts].map(([status, count]) => `${count} ${status}`).join(", ")
  const said = report.length === 0 ? "There are no rules in it." : `${report.length} rules: ${counted}.`
  const tools = Object.keys(rules).length
  const end =
    out === undefined
      ? "--out FILE writes what is left of them."
      : `stepline run --rules ${visibleLine(out)} takes them.`
  process.stdout.write(`${said}${tools === 0 ? "" : ` ${end}`}\n`)
}

/** Resolves with the exit status. */
export const rulesImportCommand = async (
  file: string,
  { out, json = false }: RulesImportOptions,
): Promise<number> => {
  const text = await readTextFile(file)
  let imported: ImportedRules
  try {
    imported = translate(file, text)
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(`${file}: ${messageOf(error)}`)
    throw error
  }
  if (out !== undefined) await write(out, file, imported)
  if (json) process.stdout.write(`${JSON.stringify(imported)}\n`)
  else show(imported, out)
  return exitStatus.asExpected
}
