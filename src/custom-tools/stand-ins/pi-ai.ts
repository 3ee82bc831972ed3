/** `pi-ai`: what tools use of it. Whatever asks a model throws. */
import { unavailable } from "./unavailable.ts"

export { StringEnum } from "./string-enum.ts"
export { Type } from "./typebox.ts"

interface Prices {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
}

interface Usage extends Prices {
  cost: { input: number; output: number; cacheRead: number; cacheWrite: number; total: number }
}

/** Fills in and gives `usage.cost`, from a model's prices for a million tokens. */
export const calculateCost = (model: { readonly cost: Prices }, usage: Usage): Usage["cost"] => {
  const price = (kind: keyof Prices): number => (model.cost[kind] * usage[kind]) / 1_000_000
  const [input, output] = [price("input"), price("output")]
  const [cacheRead, cacheWrite] = [price("cacheRead"), price("cacheWrite")]
  const total = input + output + cacheRead + cacheWrite
  Object.assign(usage.cost, { input, output, cacheRead, cacheWrite, total })
  return usage.cost
}

const needsProvider = (name: string): unknown => unavailable(name, "a model provider", "@mariozechner/pi-ai")

export const complete = needsProvider("complete")
export const createAssistantMessageEventStream = needsProvider("createAssistantMessageEventStream")
export const getModel = needsProvider("getModel")
export const registerApiProvider = needsProvider("registerApiProvider")
export const streamSimple = needsProvider("streamSimple")
export const streamSimpleAnthropic = needsProvider("streamSimpleAnthropic")
export const streamSimpleOpenAIResponses = needsProvider("streamSimpleOpenAIResponses")
