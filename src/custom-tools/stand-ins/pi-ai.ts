/** `pi-ai` and what it publishes under further paths: what tools use of it. Whatever asks a model throws. */

export { calculateCost, clampThinkingLevel, getSupportedThinkingLevels, modelsAreEqual } from "./models.ts"
export { StringEnum } from "./string-enum.ts"
export { Type } from "./typebox.ts"
export { contentText, extractDiagnosticError, formatThrownValue, uuidv7 } from "./values.ts"

/** No provider, and so no model, is known here. */
export const getModels = (): Array<never> => []
export const getProviders = (): Array<never> => []
