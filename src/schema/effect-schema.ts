/**
 * Schemas of Effect, which become Standard Schemas by functions of their module alone. It takes longer to load than the
 * rest of the core, so it waits for the first such schema.
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

/** CommonJS, which a bundler may make of this, has no `import.meta`. */
const here: string = import.meta.url ?? __filename

/** Then what is loaded from the disk is another copy than the bundle's own. */
const isBundled = !/[/\\]effect-schema\.[jt]s$/.test(here)

const moduleName = "effect/Schema"

const wrapped = "`Schema.toStandardSchemaV1(Schema.toStandardJSONSchemaV1(schema))`"

/** In a bundle there may be none on the disk, or one that is not the bundle's. */
const cannotLoad = (whose: string, cause?: unknown): TypeError =>
  new TypeError(`Cannot load the ${moduleName} of ${whose}, as in a bundle. Pass ${wrapped}`, { cause })

const loadModule = (whose: string): SchemaModule => {
  try {
    return createRequire(here)(moduleName) as SchemaModule
  } catch (error) {
    throw cannotLoad(whose, error)
  }
}

/** A schema makes Effects of its own copy. It is asked about 0, which is refused as no object before any code of its owner runs. */
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

/** Of the JSON that its JSON Schema describes: what is no JSON by itself, such as a Date, has a form in it. */
const checkOf = (schema: object, { toCodecJson, toStandardSchemaV1 }: SchemaModule): StandardValidate =>
  toStandardSchemaV1(toCodecJson(schema))["~standard"].validate!

/** The check by the copy that is imported, where what is required is another one, as under tsx. */
const importedCheck = (schema: object): StandardValidate => {
  let check: StandardValidate | undefined
  const loaded = import(/* @vite-ignore */ moduleName).then((imported: SchemaModule) => {
    check = checkOf(schema, imported)
    return check
  })
  // Told to whoever calls the tool.
  loaded.catch(() => undefined)
  return (value) => (check === undefined ? loaded.then((ready) => ready(value)) : check(value))
}

/** Throws a TypeError that says what to do for a schema of another copy, and where the module cannot be loaded, as in a bundle. */
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
  // That reads any copy's syntax trees. To check with them takes their own.
  const { jsonSchema } = loaded.toStandardJSONSchemaV1(schema)["~standard"]
  const validate = isSame ? checkOf(schema, loaded) : importedCheck(schema)
  return { vendor: "effect", validate, ...(jsonSchema && { jsonSchema }) }
}
