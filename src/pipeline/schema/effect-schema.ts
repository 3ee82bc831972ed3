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
  toStandardSchemaV1(schema: object): Standard
  toStandardJSONSchemaV1(schema: object): Standard
}

const typeId = "~effect/Schema/Schema"

/** Whether a value is a schema of Effect 4, whichever copy of effect made it. */
export const isEffectSchema = (value: unknown): value is object =>
  typeof value === "function" && typeId in value

const loadModule = (): SchemaModule => {
  const { createRequire } = process.getBuiltinModule("node:module")
  return createRequire(import.meta.url)("effect/Schema") as SchemaModule
}

/** Throws a TypeError that says what to do where the module cannot be loaded, as in a bundle. */
export const standardOfEffect = (schema: object): StandardProps => {
  const own = (schema as Partial<Standard>)["~standard"]
  if (own?.validate !== undefined && own.jsonSchema !== undefined) return own
  let loaded: SchemaModule
  try {
    loaded = loadModule()
  } catch (error) {
    throw new TypeError(
      `Cannot load effect/Schema: ${messageOf(error)}. Pass \`Schema.toStandardSchemaV1(Schema.toStandardJSONSchemaV1(schema))\`.`,
    )
  }
  const { validate } = loaded.toStandardSchemaV1(schema)["~standard"]
  const { jsonSchema } = loaded.toStandardJSONSchemaV1(schema)["~standard"]
  return { vendor: "effect", ...(validate && { validate }), ...(jsonSchema && { jsonSchema }) }
}
