/** Functions about models that tools know: prices, thinking levels. Pure. */

/** Of each kind of tokens: how many, or their price. */
export interface Counts {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
}

interface Usage extends Counts {
  readonly cost: { -readonly [Kind in keyof Counts | "total"]: number }
}

interface Model {
  readonly id?: unknown
  readonly provider?: unknown
  readonly reasoning?: boolean
  readonly thinkingLevelMap?: Readonly<Record<string, unknown>>
}

/** Sets and returns `usage.cost`, from a model's prices per million tokens. */
export const calculateCost = (model: { readonly cost: Counts }, usage: Usage): Usage["cost"] => {
  const price = (kind: keyof Counts): number => (model.cost[kind] * usage[kind]) / 1_000_000
  const [input, output] = [price("input"), price("output")]
  const [cacheRead, cacheWrite] = [price("cacheRead"), price("cacheWrite")]
  const total = input + output + cacheRead + cacheWrite
  Object.assign(usage.cost, { input, output, cacheRead, cacheWrite, total })
  return usage.cost
}

const levels = ["off", "minimal", "low", "medium", "high", "xhigh", "max"]

/** The thinking levels of a model. The two highest need to be declared by the model. */
export const getSupportedThinkingLevels = ({ reasoning, thinkingLevelMap = {} }: Model): Array<string> => {
  if (reasoning !== true) return ["off"]
  return levels.filter((level) => {
    const mapped = thinkingLevelMap[level]
    return level === "xhigh" || level === "max" ? mapped != null : mapped !== null
  })
}

/** Returns the level, else the next higher one that the model supports, else the next lower one. */
export const clampThinkingLevel = (model: Model, level: string): string => {
  const supported = getSupportedThinkingLevels(model)
  const wanted = levels.indexOf(level)
  if (wanted === -1) return supported[0] ?? "off"
  const isSupported = (other: string) => supported.includes(other)
  return levels.slice(wanted).find(isSupported) ?? levels.slice(0, wanted).findLast(isSupported) ?? "off"
}

export const modelsAreEqual = (one: Model | null | undefined, other: Model | null | undefined): boolean =>
  one != null && other != null && one.id === other.id && one.provider === other.provider
