/** `pi-ai` and its further entry points: the parts that tools use. Functions that call a model throw. */

export { calculateCost, clampThinkingLevel, getSupportedThinkingLevels, modelsAreEqual } from "./models.ts"
export { StringEnum } from "./string-enum.ts"
export { Type } from "./typebox.ts"
export { contentText, extractDiagnosticError, formatThrownValue, uuidv7 } from "./values.ts"

/** There are no providers, and so no models: modules query and register them while they load. */
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
