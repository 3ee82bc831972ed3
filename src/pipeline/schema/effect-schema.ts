/**
 * Schemas of Effect, which become Standard Schemas by functions of their module alone. It takes longer to load than the
 * rest of the core, so it waits for the first such schema.
 */
import { messageOf } from "../model/failure.ts"
import type { StandardProps } from "./standard-props.ts"

interface Standard {
  readonly "~standard": StandardProps
}

interface SchemaModule {
  readonly String: { readonly ast: unknown }
  toStandardSchemaV1(schema: object): Standard
  toStandardJSONSchemaV1(schema: object): Standard
}

const typeId = "~effect/Schema/Schema"

const version3 = Symbol.for("effect/Schema")

/** Whether a value is a schema of Effect, whichever copy or version of it made it. */
export const isEffectSchema = (value: unknown): value is object =>
  typeof value === "function" && (typeId in value || version3 in value)

const loadModule = (): SchemaModule => {
  const { createRequire } = process.getBuiltinModule("node:module")
  return createRequire(import.meta.url)("effect/Schema") as SchemaModule
}

/** The class that all syntax trees of one copy share. */
const rootClass = (ast: unknown): unknown => {
  let prototype: unknown = ast
  for (let next = ast; next !== null && next !== Object.prototype; next = Object.getPrototypeOf(next)) {
    prototype = next
  }
  return prototype
}

const isOfCopy = (schema: object, loaded: SchemaModule): boolean => {
  const { ast } = schema as { readonly ast?: unknown }
  return typeof ast === "object" && ast !== null && rootClass(ast) === rootClass(loaded.String.ast)
}

const wrapped = "`Schema.toStandardSchemaV1(Schema.toStandardJSONSchemaV1(schema))`"

/** Throws a TypeError that says what to do for a schema of another copy, and where the module cannot be loaded, as in a bundle. */
export const standardOfEffect = (schema: object, whose: string): StandardProps => {
  const own = (schema as Partial<Standard>)["~standard"]
  if (own?.validate !== undefined && own.jsonSchema !== undefined) return own
  let loaded: SchemaModule
  try {
    loaded = loadModule()
  } catch (error) {
    throw new TypeError(`Cannot load effect/Schema for ${whose}: ${messageOf(error)}. Pass ${wrapped}`)
  }
  if (!isOfCopy(schema, loaded)) {
    throw new TypeError(
      `Expected ${whose} to be of the copy of effect that stepline has. Two copies of effect are installed: have one, with \`npm dedupe\` or the version that stepline names as its peer, or pass ${wrapped}`,
    )
  }
  const { validate } = loaded.toStandardSchemaV1(schema)["~standard"]
  const { jsonSchema } = loaded.toStandardJSONSchemaV1(schema)["~standard"]
  return { vendor: "effect", ...(validate && { validate }), ...(jsonSchema && { jsonSchema }) }
}
