/** `pi-ai` and what it publishes under further paths: what tools use of it. Whatever asks a model throws. */

export { calculateCost, clampThinkingLevel, getSupportedThinkingLevels, modelsAreEqual } from "./models.ts"
export { StringEnum } from "./string-enum.ts"
export { Type } from "./typebox.ts"
export { contentText, extractDiagnosticError, formatThrownValue, uuidv7 } from "./values.ts"

/** No provider, and so no model, is known here: modules ask, and bring theirs, while they load. */
const none = (): undefined => undefined
const noList = (): Array<never> => []

export {
  noList as getApiProviders,
  noList as getModels,
  noList as getOAuthProviderInfoList,
  noList as getOAuthProviders,
  noList as getProviders,
  none as clearApiProviders,
  none as findEnvKeys,
  none as getApiProvider,
  none as getEnvApiKey,
  none as getModel,
  none as getOAuthProvider,
  none as registerApiProvider,
  none as registerOAuthProvider,
  none as resetOAuthProviders,
  none as unregisterApiProviders,
  none as unregisterOAuthProvider,
}
