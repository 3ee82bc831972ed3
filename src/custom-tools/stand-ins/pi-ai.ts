/** `pi-ai` and its further entry points: the parts that tools use. Functions that call a model throw. */
import * as models from "./models.ts"
import { StringEnum } from "./string-enum.ts"
import { Type } from "./typebox.ts"
import { contentText, extractDiagnosticError, formatThrownValue, uuidv7 } from "./values.ts"

/** There are no providers, and so no models: modules query and register them while they load. */
const none = (): undefined => undefined
const noList = (): Array<never> => []

const answering = (answer: () => unknown, names: string) =>
  Object.fromEntries(names.split(" ").map((name) => [name, answer]))

export const piAi: Readonly<Record<string, unknown>> = {
  ...models,
  ...{ StringEnum, Type, contentText, extractDiagnosticError, formatThrownValue, uuidv7 },
  ...answering(noList, "getApiProviders getModels getOAuthProviderInfoList getOAuthProviders getProviders"),
  ...answering(none, "getApiProvider registerApiProvider unregisterApiProviders clearApiProviders"),
  ...answering(none, "getOAuthProvider registerOAuthProvider unregisterOAuthProvider resetOAuthProviders"),
  ...answering(none, "findEnvKeys getEnvApiKey getModel"),
}
