/** Tools as described to a model that writes code: TypeScript signatures, generated from JSON Schemas. */

import type { ToolDefinition } from "../model/tool-definition.ts"
import { isPlainObject } from "../schema/plain-object.ts"

const deepest = 4
const longestType = 400

const isName = (text: string): boolean => /^[A-Za-z_$][\w$]*$/.test(text)

const keyOf = (name: string): string => (isName(name) ? name : JSON.stringify(name))

const unionOf = (schemas: ReadonlyArray<unknown>, depth: number): string =>
  [...new Set(schemas.map((each) => typeOf(each, depth)))].join(" | ") || "never"

const plainTypes: Readonly<Record<string, string>> = {
  string: "string",
  number: "number",
  integer: "number",
  boolean: "boolean",
  null: "null",
}

const typeOf = (schema: unknown, depth = 0): string => {
  if (!isPlainObject(schema) || depth > deepest) return "unknown"
  const { type, enum: values, anyOf, oneOf, items } = schema
  if ("const" in schema) return JSON.stringify(schema.const)
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(" | ")
  const either = anyOf ?? oneOf
  if (Array.isArray(either)) return unionOf(either, depth)
  if (Array.isArray(type))
    return unionOf(
      type.map((each) => ({ ...schema, type: each })),
      depth,
    )
  if (type === "array") {
    const item = typeOf(items, depth + 1)
    return item.includes(" | ") ? `(${item})[]` : `${item}[]`
  }
  if (type === "object" || "properties" in schema) return objectOf(schema, depth)
  return plainTypes[String(type)] ?? "unknown"
}

const objectOf = (schema: Readonly<Record<string, unknown>>, depth: number): string => {
  const properties = Object.entries(isPlainObject(schema.properties) ? schema.properties : {})
  const required = new Set(Array.isArray(schema.required) ? schema.required : [])
  const parts = properties.map(
    ([name, each]) => `${keyOf(name)}${required.has(name) ? "" : "?"}: ${typeOf(each, depth + 1)}`,
  )
  return parts.length === 0 ? "{}" : `{ ${parts.join("; ")} }`
}

/** The call of a tool in code: `tools.read_file({ path: string })`. */
export const signatureOf = ({ name, parameters }: ToolDefinition): string => {
  // Code waits for the result of a nested call.
  const { background: _, ...properties } = isPlainObject(parameters.properties) ? parameters.properties : {}
  const type = typeOf({ ...parameters, properties })
  const short = type.length > longestType ? "{ … }" : type
  return `${isName(name) ? `tools.${name}` : `tools[${JSON.stringify(name)}]`}(${short})`
}

const firstSentence = (text: string): string => /^[\s\S]*?[.!?](?=\s|$)/.exec(text.trim())?.[0] ?? text.trim()

/** A signature with the first sentence of the description. */
export const lineOf = (tool: ToolDefinition): string =>
  `${signatureOf(tool)} // ${firstSentence(tool.description).replace(/\s+/g, " ")}`

/** As many lines as fit, and how many tools are omitted. */
export const listOf = (tools: ReadonlyArray<ToolDefinition>, room: number): string => {
  const lines: Array<string> = []
  let left = room
  for (const tool of tools) {
    const line = lineOf(tool)
    left -= line.length + 1
    if (left < 0) break
    lines.push(line)
  }
  const more = tools.length - lines.length
  if (more > 0) lines.push(`// ${more} more: await tools.search("words") lists those that fit.`)
  return lines.join("\n")
}

/** The tools whose names or descriptions contain any of these words, those with the most first. */
export const searchIn = (
  tools: ReadonlyArray<ToolDefinition>,
  words: string,
): ReadonlyArray<ToolDefinition> => {
  const wanted = words
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "")
  const score = ({ name, description }: ToolDefinition) => {
    const text = `${name} ${description}`.toLowerCase()
    return wanted.filter((word) => text.includes(word)).length
  }
  const found = tools.map((tool) => [score(tool), tool] as const).filter(([points]) => points > 0)
  return found.sort(([a], [b]) => b - a).map(([, tool]) => tool)
}
