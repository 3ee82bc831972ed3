/** `stepline tools`: the tools and what they take. */

import { hasColors, styleOf } from "../hosts/terminal/style.ts"
import { allTools } from "../impls/index.ts"
import { type ToolDefinition, ToolRegistry } from "../pipeline/registry.ts"

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
  return [bold(name), `  ${description}`, ...lines].join("\n")
}

export const toolsCommand = (options: { readonly json?: boolean }): number => {
  const { stdout } = process
  const definitions = new ToolRegistry(allTools()).definitions()
  const { bold } = styleOf(hasColors(stdout))
  const text =
    options.json === true
      ? JSON.stringify(definitions, undefined, 2)
      : definitions.map((definition) => toolText(definition, bold)).join("\n\n")
  stdout.write(`${text}\n`)
  return 0
}
