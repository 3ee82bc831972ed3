/** `stepline tools`: lists the tools, their parameters, and the sources of those that are not built in. */
import type { CustomToolOrigin } from "../custom-tools/custom-tools.ts"
import { printable } from "../hosts/terminal/printable.ts"
import { hasColors, styleOf } from "../hosts/terminal/style.ts"
import { allTools } from "../impls/index.ts"
import type { ToolDefinition } from "../model/tool-definition.ts"
import { expectFolder } from "./local-executor.ts"
import { commandMachine } from "./local-machine.ts"
import { loadErrors, localTools, type ToolsOptions } from "./local-tools.ts"
import { connectServers, type McpServersOptions } from "./mcp-servers.ts"
import { shortPath } from "./short-path.ts"
import { tell } from "./tell.ts"

interface Property {
  readonly type?: string
  readonly description?: string
}

const propertyLine = (name: string, property: Property, isRequired: boolean, width: number): string => {
  const type = `${property.type ?? "any"}${isRequired ? "" : "?"}`
  return `    ${name.padEnd(width)}  ${type.padEnd(8)}  ${property.description ?? ""}`.trimEnd()
}

const toolText = (
  { name, description, parameters }: ToolDefinition,
  origin: string | undefined,
  bold: (text: string) => string,
): string => {
  const { properties = {}, required = [] } = parameters as {
    properties?: Record<string, Property>
    required?: ReadonlyArray<string>
  }
  const width = Math.max(0, ...Object.keys(properties).map((key) => key.length))
  const lines = Object.entries(properties).map(([key, property]) =>
    propertyLine(key, property, required.includes(key), width),
  )
  const from = origin === undefined ? [] : [`  ${origin}`]
  return [bold(name), `  ${description}`, ...from, ...lines].join("\n")
}

/** The source of a tool that is not built in. */
interface Origin {
  /** For a tool of another agent. */
  readonly module?: CustomToolOrigin | undefined
  /** For a tool of an MCP server: the server's name. */
  readonly server?: string | undefined
}

const originText = ({ module, server }: Origin, cwd: string): string | undefined => {
  if (server !== undefined) return `of the MCP server ${server}`
  if (module === undefined) return undefined
  const { resolvedPath, source, isOverride } = module
  const finder = source === undefined ? "" : ` (${source.providerName})`
  return `${isOverride ? "replaces the tool of that name: " : ""}from ${shortPath(resolvedPath, cwd)}${finder}`
}

/** A definition in `--json`. */
interface ToolEntry extends ToolDefinition {
  /**
   * For a tool of another agent: the absolute path of its module, and the provider that discovered it, unless it was named.
   * For one of an MCP server: the server's name.
   */
  readonly source?: { readonly path: string; readonly provider?: string } | { readonly server: string }
}

const entryOf = (definition: ToolDefinition, { module, server }: Origin): ToolEntry => {
  if (server !== undefined) return { ...definition, source: { server } }
  if (module === undefined) return definition
  const { resolvedPath, source } = module
  return { ...definition, source: { path: resolvedPath, ...(source && { provider: source.provider }) } }
}

export interface ToolsCommandOptions extends ToolsOptions, McpServersOptions {
  readonly cwd?: string
  /** Prints the definitions as sent to a model, with the `source` of those that are not built in. */
  readonly json?: boolean
}

export const toolsCommand = async (options: ToolsCommandOptions): Promise<number> => {
  const { stdout } = process
  const cwd = await expectFolder(options.cwd ?? process.cwd())
  const { machine } = await commandMachine({}, cwd)
  const { registry, customTools } = await localTools(allTools(machine), options, cwd)
  const servers = await connectServers(options, registry, cwd)
  // Extensions can register more tools when a session starts.
  await customTools?.emit({ reason: "start" })
  const definitions = registry.definitions()
  const { bold } = styleOf(hasColors(stdout))
  const modules = new Map(customTools?.tools.map((origin) => [origin.name, origin]))
  const originOf = ({ name }: ToolDefinition): Origin => ({
    module: modules.get(name),
    server: servers.serverOf(name),
  })
  const text =
    options.json === true
      ? JSON.stringify(
          definitions.map((definition) => entryOf(definition, originOf(definition))),
          undefined,
          2,
        )
      : definitions
          .map((definition) => toolText(definition, originText(originOf(definition), cwd), bold))
          .join("\n\n")
  stdout.write(`${options.json === true ? text : printable(text, { keepColors: true })}\n`)
  for (const problem of [...loadErrors(customTools, cwd), ...servers.problems]) tell(problem)
  await customTools?.emit({ reason: "shutdown" })
  await servers.close()
  return 0
}
