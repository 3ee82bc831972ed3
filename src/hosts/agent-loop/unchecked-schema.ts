/** Schemas for SDKs that would check the parameters before the executor does. */
import type { JsonSchema } from "../../schema/json-schema.ts"

/** Accepts everything: the executor checks the parameters, with messages that help the model. */
export const unchecked = (parameters: JsonSchema) => {
  const schema = () => parameters
  const validate = (value: unknown) => ({ value })
  return {
    "~standard": { version: 1, vendor: "stepline", validate, jsonSchema: { input: schema, output: schema } },
  }
}
