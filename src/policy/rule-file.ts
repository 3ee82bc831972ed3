/**
 * Rules in a TOML file as `--config` reads it. New rules are appended in one write, so that processes that save at the same time
 * keep each other's rules, and a person's text in the file stays unchanged.
 */
import { mkdir, open } from "node:fs/promises"
import { dirname } from "node:path"
import { messageOf } from "../text/message-of.ts"
import { appending, expectRegular, readRegular } from "../text/regular-file.ts"
import { type CallRule, compileRules, type PlacedRule, type ToolFilterConfig } from "./rules.ts"

/** The text of a file; empty if the file is missing. */
export const textOf = async (path: string): Promise<string> => {
  try {
    return (await readRegular(path)).toString()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return ""
    throw error
  }
}

/** Parses the text of a rule file. Fails, naming the file, if the text cannot be read. */
export const parseRules = async (path: string, text: string): Promise<ToolFilterConfig> => {
  const { parse } = await import("smol-toml")
  try {
    const { tools = {}, ...others } = parse(text)
    for (const key of Object.keys(others)) throw new Error(`expected only the key \`tools\`, got \`${key}\``)
    compileRules(tools)
    return tools as ToolFilterConfig
  } catch (error) {
    throw new Error(`${path}: ${messageOf(error)}`, { cause: error })
  }
}

/** Reads the rules of a file; none if the file is missing. Fails, naming the file, if it cannot be read. */
export const readRules = async (path: string): Promise<ToolFilterConfig> =>
  parseRules(path, await textOf(path))

type NamedRule = readonly [toolName: string, rule: PlacedRule | CallRule]

const namedRules = (config: ToolFilterConfig): Array<NamedRule> =>
  Object.entries(config).flatMap(([name, { allow = [] }]) =>
    allow.map((rule): NamedRule => [name, typeof rule === "string" ? { pattern: rule } : rule]),
  )

const keyOf = ([name, rule]: NamedRule): string =>
  JSON.stringify([
    name,
    rule.workingDir,
    rule.pattern === undefined ? [rule.call, rule.leadsTo] : [rule.pattern, rule.line],
  ])

/** Appends in one write; resolves once the text is on the disk. Creates a missing file, for its owner only. */
export const appendText = async (path: string, text: string): Promise<void> => {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const file = await open(path, appending, 0o600)
  try {
    expectRegular(path, await file.stat())
    const { bytesWritten } = await file.write(text)
    const { size } = await file.stat()
    if (bytesWritten < Buffer.byteLength(text)) {
      // Half a rule would make the whole file unreadable.
      await file.truncate(size - bytesWritten)
      throw new Error(`${path}: there is no room for the rules. None was saved.`)
    }
    await file.datasync()
  } finally {
    await file.close()
  }
}

/**
 * The text to append to a rule file so that it contains these allow rules; empty if it contains them already. Fails, with advice,
 * if nothing can be appended.
 */
export const additionTo = async (path: string, text: string, config: ToolFilterConfig): Promise<string> => {
  const { stringify } = await import("smol-toml")
  const before = new Set(namedRules(await parseRules(path, text)).map(keyOf))
  // TOML cannot hold an unpaired surrogate.
  const added = namedRules(config).filter(
    (rule) => !before.has(keyOf(rule)) && !/\p{Cs}/u.test(rule[1].pattern ?? ""),
  )
  if (added.length === 0) return ""
  const blocks = added.map(
    ([name, rule]) => `\n${stringify({ tools: { [name]: { allow: [inOrder(rule)] } } })}`,
  )
  const addition = blocks.join("\n")
  try {
    await parseRules(path, text + addition)
  } catch (error) {
    throw new Error(
      `${path}: rules cannot be added below \`allow = […]\`. Write each of its rules as \`[[tools.NAME.allow]]\` with a \`pattern\`.`,
      { cause: error },
    )
  }
  return addition
}

/** Puts the folder first: otherwise a rule that is cut off after its pattern would apply everywhere. */
const inOrder = ({ workingDir, ...rule }: PlacedRule | CallRule): PlacedRule | CallRule =>
  workingDir === undefined ? rule : { workingDir, ...rule }

/** Appends the allow rules that the file does not have yet. */
export const appendRules = async (path: string, config: ToolFilterConfig): Promise<void> => {
  const addition = await additionTo(path, await textOf(path), config)
  if (addition !== "") await appendText(path, addition)
}
