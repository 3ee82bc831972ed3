/** The file of `--config`: rules for calls, MCP servers with tools, and limits of tools. */
import { extname } from "node:path"
import type { Limit } from "../limits/limits.ts"
import { isPlainObject } from "../schema/plain-object.ts"
import { messageOf } from "../text/message-of.ts"
import { readTextFile, regularText } from "./text-file.ts"
import { UsageError } from "./usage-error.ts"

/** A table of the file. */
export type ConfigTable = Readonly<Record<string, unknown>>

export interface ConfigFile {
  /** `[tools.NAME]` */
  readonly tools: ConfigTable
  /** `[mcp.NAME]` */
  readonly mcp: ConfigTable
  /** `[[limits]]`, not checked. */
  readonly limits: ReadonlyArray<Limit>
}

const known = ["tools", "mcp", "limits"]

const parse = async (file: string, text: string): Promise<unknown> => {
  if (extname(file) === ".json") return JSON.parse(text)
  const toml = await import("smol-toml")
  return toml.parse(text)
}

/** Rejects with a UsageError that names the file and the key. */
export const readConfigFile = async (file: string): Promise<ConfigFile> => {
  if (![".toml", ".json"].includes(extname(file))) {
    throw new UsageError(`${file}: expected a name that ends in .toml or .json`)
  }
  const text = await readTextFile(file, regularText)
  let config: unknown
  try {
    config = await parse(file, text)
  } catch (error) {
    throw new UsageError(`${file}: ${messageOf(error)}`)
  }
  if (!isPlainObject(config))
    throw new UsageError(`${file}: expected an object with the keys \`tools\`, \`mcp\` and \`limits\``)
  for (const key of Object.keys(config)) {
    if (!known.includes(key)) {
      throw new UsageError(
        `${file}: expected only the keys \`tools\`, \`mcp\` and \`limits\`, got \`${key}\``,
      )
    }
  }
  const { tools = {}, mcp = {}, limits = [] } = config
  if (!isPlainObject(tools)) {
    throw new UsageError(`${file}: expected \`tools\` to hold \`allow\` and \`deny\` by tool name`)
  }
  if (!isPlainObject(mcp)) {
    throw new UsageError(`${file}: expected \`mcp\` to hold \`command\` or \`url\` by the name of a server`)
  }
  if (!Array.isArray(limits)) {
    throw new UsageError(`${file}: expected \`limits\` to be a list of tables, \`[[limits]]\``)
  }
  return { tools, mcp, limits }
}
