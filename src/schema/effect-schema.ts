/**
 * Schemas of Effect, which only functions of Effect's own module convert to Standard Schemas. That module takes longer to
 * load than the rest of the core, so it is loaded with the first such schema.
 */
import { createRequire } from "node:module"
import * as Effect from "effect/Effect"
import { isOfOwnCopy, twoCopies } from "./own-copy.ts"
import type { StandardProps, StandardValidate } from "./standard-props.ts"

interface Standard {
  readonly "~standard": StandardProps
}

interface SchemaModule {
  readonly String: { readonly ast: unknown }
  toCodecJson(schema: object): object
  toStandardSchemaV1(schema: object): Standard
  toStandardJSONSchemaV1(schema: object): Standard
}

const typeId = "~effect/Schema/Schema"

const version3 = Symbol.for("effect/Schema")

/** Whether a value is a schema of Effect, whichever copy or version of it made it. */
export const isEffectSchema = (value: unknown): value is object =>
  typeof value === "function" && (typeId in value || version3 in value)

/** CommonJS, which a bundler may convert this to, has no `import.meta`. */
const here: string = import.meta.url ?? __filename

/** In a bundle, a module loaded from the disk is a different copy than the bundle's own. */
const isBundled = !/[/\\]effect-schema\.[jt]s$/.test(here)

const moduleName = "effect/Schema"

const wrapped = "`Schema.toStandardSchemaV1(Schema.toStandardJSONSchemaV1(schema))`"

/** In a bundle, the module may be missing on the disk, or be a different copy than the bundle's. */
const cannotLoad = (whose: string, cause?: unknown): TypeError =>
  new TypeError(`Cannot load the ${moduleName} of ${whose}, as in a bundle. Pass ${wrapped}`, { cause })

const loadModule = (whose: string): SchemaModule => {
  try {
    return createRequire(here)(moduleName) as SchemaModule
  } catch (error) {
    throw cannotLoad(whose, error)
  }
}

/**
 * Whether a schema is of stepline's copy, which is the copy of the Effects that it makes. It is tested with 0, which is rejected
 * as not an object before any code of the schema's owner runs.
 */
const isOwnSchema = (schema: object): boolean => {
  try {
    const made: unknown = (schema as { makeEffect(value: unknown): unknown }).makeEffect(0)
    return Effect.isEffect(made) && isOfOwnCopy(made)
  } catch {
    return false
  }
}

/** The class that all syntax trees of one copy share. */
const rootClass = (ast: unknown): unknown => {
  let prototype: unknown = ast
  for (let next = ast; next !== null && next !== Object.prototype; next = Object.getPrototypeOf(next)) {
    prototype = next
  }
  return prototype
}

const isOfCopy = (schema: object, { String: text }: SchemaModule): boolean => {
  const { ast } = schema as { readonly ast?: unknown }
  return typeof ast === "object" && ast !== null && rootClass(ast) === rootClass(text.ast)
}

/** The check of the JSON that the JSON Schema describes, in which values that are not JSON, such as a Date, are encoded. */
const checkOf = (schema: object, { toCodecJson, toStandardSchemaV1 }: SchemaModule): StandardValidate =>
  toStandardSchemaV1(toCodecJson(schema))["~standard"].validate!

/** The check by the imported copy, if `require` loads a different one, as under tsx. */
const importedCheck = (schema: object): StandardValidate => {
  let check: StandardValidate | undefined
  const loaded = import(/* @vite-ignore */ moduleName).then((imported: SchemaModule) => {
    check = checkOf(schema, imported)
    return check
  })
  // Reported to the caller of the tool.
  loaded.catch(() => undefined)
  return (value) => (check === undefined ? loaded.then((ready) => ready(value)) : check(value))
}

/** Throws a TypeError with advice for a schema of another copy, and if the module cannot be loaded, as in a bundle. */
export const standardOfEffect = (schema: object, whose: string): StandardProps => {
  const own = (schema as Partial<Standard>)["~standard"]
  if (own?.validate !== undefined && own.jsonSchema !== undefined) return own
  if (!isOwnSchema(schema)) {
    throw new TypeError(
      `Expected ${whose} to be of the copy of effect that stepline has. ${twoCopies}, or pass ${wrapped}`,
    )
  }
  const loaded = loadModule(whose)
  const isSame = isOfCopy(schema, loaded)
  if (!isSame && isBundled) throw cannotLoad(whose)
  // This works with any copy's syntax trees; checking with them needs their own copy.
  const { jsonSchema } = loaded.toStandardJSONSchemaV1(schema)["~standard"]
  const validate = isSame ? checkOf(schema, loaded) : importedCheck(schema)
  return { vendor: "effect", validate, ...(jsonSchema && { jsonSchema }) }
}
