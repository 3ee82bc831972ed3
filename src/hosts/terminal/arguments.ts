/** Reads a typed line as a tool's parameters: in the order of the schema's properties, or as JSON. */
import type { Tool } from "../../model/tool.ts"
import type { JsonSchema } from "../../schema/json-schema.ts"

export type ParsedArguments =
  | { readonly _tag: "Params"; readonly params: Record<string, unknown> }
  | { readonly _tag: "Invalid"; readonly message: string }

interface Property {
  readonly name: string
  readonly type: string
  readonly required: boolean
}

const scalars = new Set(["string", "number", "integer", "boolean"])

const typeOf = (schema: unknown): string => {
  const { type } = (schema ?? {}) as { type?: unknown }
  return typeof type === "string" ? type : "any"
}

const propertiesOf = ({ properties, required }: JsonSchema): Array<Property> => {
  if (typeof properties !== "object" || properties === null) return []
  const names = new Set(Array.isArray(required) ? required : [])
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    type: typeOf(schema),
    required: names.has(name),
  }))
}

/** The properties that a line can fill in order: those before the first that needs JSON. */
const positionalOf = (tool: Tool<unknown>): Array<Property> => {
  const properties = propertiesOf(tool.parameters)
  const firstJson = properties.findIndex(({ type }) => !scalars.has(type))
  return firstJson === -1 ? properties : properties.slice(0, firstJson)
}

/** The syntax of a typed call: `read_file PATH [START_LINE] [END_LINE]`, `edit_file {"path": …, "edits": …}`. */
export const usageOf = (tool: Tool<unknown>): string => {
  const properties = propertiesOf(tool.parameters)
  if (properties.some(({ type, required }) => required && !scalars.has(type))) {
    const names = properties.filter(({ required }) => required).map(({ name }) => `"${name}": …`)
    return `${tool.name} {${names.join(", ")}}`
  }
  const shown = swallowing(tool) === undefined ? positionalOf(tool) : [swallowing(tool)!]
  const words = shown.map(({ name, required }) => (required ? name.toUpperCase() : `[${name.toUpperCase()}]`))
  return [tool.name, ...words].join(" ")
}

/** The property that takes the rest of the line unchanged: a shell's command, or a tool's only parameter. */
const swallowing = (tool: Tool<unknown>): Property | undefined => {
  const positional = positionalOf(tool)
  if (tool.primaryKind === "command") {
    return positional.find(({ name, type }) => name === tool.primaryParam && type === "string")
  }
  return positional.length === 1 && positional[0]!.type === "string" ? positional[0] : undefined
}

interface Word {
  readonly text: string
  /** Its position in the line. */
  readonly start: number
}

/** Splits at spaces; quotes hold words together, a backslash takes the next character literally. */
const wordsOf = (line: string): Array<Word> =>
  [...line.matchAll(/(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s"'\\]|["'\\])+/gs)].map((match) => ({
    text: unquote(match[0]),
    start: match.index,
  }))

const unquote = (word: string): string =>
  word.replace(/"((?:\\.|[^"\\])*)"|'([^']*)'|\\(.)/gs, (_, double, single, escaped) =>
    double !== undefined ? double.replace(/\\(["\\])/g, "$1") : (single ?? escaped),
  )

const valueOf = (text: string, type: string): unknown => {
  if (type === "string") return text
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : text
  return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text
}

const parseJson = (text: string): ParsedArguments => {
  try {
    return { _tag: "Params", params: JSON.parse(text) }
  } catch (cause) {
    return { _tag: "Invalid", message: `That is not a JSON object: ${(cause as Error).message}` }
  }
}

const startsLikeJson = (text: string): boolean => /^\{\s*["}]/.test(text)

/** Parses words followed by a JSON object: `a.txt {"edits": […]}`. */
const withJsonBehind = (tool: Tool<unknown>, text: string): ParsedArguments | undefined => {
  if (tool.primaryKind === "command" || positionalOf(tool).length === propertiesOf(tool.parameters).length) {
    return undefined
  }
  const [, head, json] = /^(.*?)\s(\{\s*["}].*)$/s.exec(text) ?? []
  if (head === undefined || json === undefined) return undefined
  const rest = parseJson(json)
  if (rest._tag === "Invalid") return rest
  const words = fillInOrder(
    tool,
    wordsOf(head).map(({ text: word }) => word),
    () => head,
  )
  return words._tag === "Invalid" ? words : { _tag: "Params", params: { ...words.params, ...rest.params } }
}

/**
 * Parses the text after a tool's name. A JSON object contains the parameters themselves. Otherwise words fill the schema's
 * properties in order, and a last one that is a string takes the rest of the line; what words cannot express can follow as
 * JSON. A word that fits no type is passed on as text: the tool's own validation reports the problem.
 */
export const parseArguments = (tool: Tool<unknown>, line: string): ParsedArguments => {
  const text = line.trim()
  if (startsLikeJson(text)) return parseJson(text)
  if (text === "") return { _tag: "Params", params: {} }
  const withJson = withJsonBehind(tool, text)
  if (withJson !== undefined) return withJson
  const whole = swallowing(tool)
  if (whole !== undefined) return { _tag: "Params", params: { [whole.name]: text } }
  const words = wordsOf(text)
  return fillInOrder(
    tool,
    words.map((word) => word.text),
    (index) => text.slice(words[index]!.start),
  )
}

/** @param restFrom Returns the text from a word to the end of the line, unchanged. */
const fillInOrder = (
  tool: Tool<unknown>,
  words: ReadonlyArray<string>,
  restFrom: (index: number) => string,
): ParsedArguments => {
  const positional = positionalOf(tool)
  const params: Record<string, unknown> = {}
  for (const [index, property] of positional.entries()) {
    const word = words[index]
    if (word === undefined) break
    const isLast = index === positional.length - 1
    if (isLast && property.type === "string" && words.length > positional.length) {
      params[property.name] = restFrom(index)
      return { _tag: "Params", params }
    }
    params[property.name] = valueOf(word, property.type)
  }
  if (words.length <= positional.length) return { _tag: "Params", params }
  const usage = `Usage: ${usageOf(tool)}`
  return {
    _tag: "Invalid",
    message:
      positional.length === 0
        ? `${tool.name} takes no words as arguments. ${usage}`
        : `${tool.name} takes at most ${positional.length} arguments, got ${words.length}. ${usage}`,
  }
}

/** Parses words that a shell has already split. */
export const parseWords = (tool: Tool<unknown>, words: ReadonlyArray<string>): ParsedArguments => {
  const rest = (index: number): string => words.slice(index).join(" ")
  const last = words.at(-1) ?? ""
  if (startsLikeJson(last) && tool.primaryKind !== "command") {
    const json = parseJson(last)
    const before = fillInOrder(tool, words.slice(0, -1), rest)
    if (json._tag === "Invalid" || before._tag === "Invalid") return json._tag === "Invalid" ? json : before
    return { _tag: "Params", params: { ...before.params, ...json.params } }
  }
  if (words.length === 1 && startsLikeJson(last)) return parseJson(last)
  const whole = words.length === 0 ? undefined : swallowing(tool)
  return whole === undefined
    ? fillInOrder(tool, words, rest)
    : { _tag: "Params", params: { [whole.name]: rest(0) } }
}
