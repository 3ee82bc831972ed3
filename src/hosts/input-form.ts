/** Shows the forms of an effect `McpInput` on a screen, field by field. */
import type { UIContext } from "../custom-tools/ui-context.ts"
import type { CustomEffect, HostEffect } from "../model/host-effect.ts"
import type { DelegateCall, DelegateFunction } from "../model/options.ts"
import type { JsonSchema } from "../schema/json-schema.ts"
import { compileOutput } from "../schema/output-check.ts"
import { isPlainObject } from "../schema/plain-object.ts"

/** A screen that asks questions: a session on a terminal, or a page. */
export type FormScreen = Pick<UIContext, "select" | "input">

/** A form as sent by a server. */
interface Form {
  readonly message: string
  readonly requestedSchema: {
    readonly properties: Readonly<Record<string, JsonSchema>>
    readonly required?: ReadonlyArray<string>
  }
}

interface Field {
  readonly name: string
  readonly schema: JsonSchema
  readonly isRequired: boolean
}

/** The user dismisses the rest of the form. */
const dismissed = Symbol("dismissed")
const leaveOut = "(leave it out)"

/** The values of a choice, by their shown texts. */
const choicesOf = ({
  type,
  enum: values,
  enumNames,
  oneOf,
  anyOf,
  items,
}: JsonSchema): Map<string, unknown> => {
  if (type === "boolean") return new Map([true, false].map((value) => [value ? "yes" : "no", value]))
  if (type === "array") return choicesOf(Object(items))
  const titled = (oneOf ?? anyOf) as ReadonlyArray<JsonSchema> | undefined
  if (titled !== undefined)
    return new Map(titled.map(({ const: value, title }) => [String(title ?? value), value]))
  const names = (enumNames ?? []) as ReadonlyArray<string>
  return new Map(
    ((values ?? []) as ReadonlyArray<string>).map((value, index) => [names[index] ?? value, value]),
  )
}

/** Converts typed text to a value of the field. Never throws: the schema check finds invalid values. */
const typed = ({ type }: JsonSchema, text: string, choices: ReadonlyMap<string, unknown>): unknown => {
  if (type === "array")
    return text.split(",").map((part) => (choices.has(part.trim()) ? choices.get(part.trim()) : part.trim()))
  return type === "string" || text.trim() === "" || Number.isNaN(Number(text)) ? text : Number(text)
}

const ask = async (
  ui: FormScreen,
  { name, schema, isRequired }: Field,
  signal: AbortSignal,
  fault = "",
): Promise<unknown> => {
  const { title = name, description, type, default: usual } = schema
  const question = fault + title + (description === undefined ? "" : `: ${description}`)
  const choices = choicesOf(schema)
  if (choices.size > 0 && type !== "array") {
    const labels = [...choices.keys(), ...(isRequired ? [] : [leaveOut])]
    const label = await ui.select(question, labels, { signal })
    return label === undefined ? dismissed : choices.get(label)
  }
  const hints = [
    choices.size > 0 ? `some of: ${[...choices.keys()].join(", ")}` : String(schema.format ?? type),
    ...(usual === undefined ? (isRequired ? [] : ["optional"]) : [`empty for ${usual}`]),
  ]
  const text = await ui.input(question, hints.join("; "), { signal })
  if (text === undefined) return dismissed
  if (text === "" && (usual !== undefined || !isRequired)) return usual
  const value = typed(schema, text, choices)
  const faults = await compileOutput(schema, undefined)(value)
  return faults.length === 0
    ? value
    : ask(ui, { name, schema, isRequired }, signal, `${faults.join("; ").replaceAll("root: ", "")}. `)
}

const fill = async (ui: FormScreen, { message, requestedSchema }: Form, signal: AbortSignal) => {
  const { properties, required = [] } = requestedSchema
  const answer = await ui.select(message, ["Answer", "Decline"], { signal })
  if (answer !== "Answer") return { action: answer === undefined ? "cancel" : "decline" }
  const content: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(properties)) {
    const value = await ask(ui, { name, schema, isRequired: required.includes(name) }, signal)
    if (value === dismissed) return { action: "cancel" }
    if (value !== undefined) content[name] = value
  }
  return { action: "accept", content }
}

/** The forms that an effect asks for, by key; undefined if it asks for anything else. */
export const formsIn = (effect: HostEffect): ReadonlyArray<readonly [string, Form]> | undefined => {
  if (effect._tag !== "McpInput") return undefined
  const requests = Object.entries(Object((effect as CustomEffect).requests))
  const forms = requests.map(([key, request]) => [key, Object(Object(request).params) as Form] as const)
  return forms.every(([, { requestedSchema }]) => isPlainObject(requestedSchema?.properties))
    ? forms
    : undefined
}

/**
 * Answers effects `McpInput`, questions of MCP servers to the user, on a screen: one question for each field. A function for
 * the executor's `delegates`, which fails the effect if there is no screen.
 *
 * @example
 * const executor = new ToolExecutor(registry, { delegates: { McpInput: inputOn(() => web?.ui) } })
 */
export const inputOn =
  (screen: () => FormScreen | undefined): DelegateFunction<"McpInput"> =>
  async (effect, { signal }: DelegateCall) => {
    const ui = screen()
    const forms = formsIn(effect)
    if (ui === undefined || forms === undefined) throw new Error("Nobody is there to answer")
    const structured: Record<string, object> = {}
    for (const [key, form] of forms) structured[key] = await fill(ui, form, signal)
    return { structured }
  }
