/** A registry without models, for hosts that provide none. It has the methods of both published registries that tools call. */

const nothing = (): undefined => undefined
const noList = (): Array<never> => []
const noKey = async (): Promise<undefined> => undefined
const no = (): boolean => false

export const noModels = {
  find: nothing,
  getAll: noList,
  getAvailable: noList,
  getError: nothing,
  refresh: nothing,
  hasConfiguredAuth: no,
  isUsingOAuth: no,
  getApiKey: noKey,
  getApiKeyForProvider: noKey,
  getApiKeyAndHeaders: async () => ({ ok: false, error: "This host has no models." }),
  getProviderDisplayName: (provider: string): string => provider,
}
