/** Estimates how long a regular expression may take with a text, from its structure alone. */

/** The factors that limit the steps of a match. */
export interface PatternCost {
  /** How many unbounded repetitions may divide a text among them. */
  readonly degree: number
  /** The factor of alternatives and options. */
  readonly factor: number
  /** Whether it has a repetition within a repetition, or a backreference: may be exponential. */
  readonly wild: boolean
}

const token =
  /\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|\((?:\?(?:<[^>=!]*>|<?[=!:]))?|[)|]|[*+?]\??|\{\d+(?:,\d*)?\}\??|[\s\S]/g
const repeats = /^(?:[*+]|\{)/

/** Overestimates if in doubt. `pattern` is the source of a regular expression. */
export const costOf = (pattern: string): PatternCost => {
  const isAnchored = pattern.startsWith("^")
  const groups = [{ branches: false, repeats: false }]
  let degree = isAnchored ? 0 : 1
  let factor = 1
  let wild = false
  let closed: { branches: boolean; repeats: boolean } | undefined
  for (const [text] of pattern.matchAll(token)) {
    const group = groups.at(-1)!
    if (/^\\[1-9k]/.test(text)) wild = true
    if (text === "|") {
      group.branches = true
      factor *= 2
      if (groups.length === 1 && isAnchored) degree += 1
    } else if (repeats.test(text)) {
      if (closed !== undefined && (closed.branches || closed.repeats)) wild = true
      group.repeats = true
      degree += 1
    } else if (text.startsWith("?")) {
      group.branches = true
      factor *= 2
    }
    closed = undefined
    if (text.startsWith("(")) groups.push({ branches: false, repeats: false })
    if (text === ")" && groups.length > 1) {
      closed = groups.pop()!
      const outer = groups.at(-1)!
      outer.branches ||= closed.branches
      outer.repeats ||= closed.repeats
    }
  }
  return { degree, factor, wild }
}

/** The approximate maximum number of steps of a match, for a text of this many characters. */
const stepsFor = ({ degree, factor, wild }: PatternCost, length: number): number =>
  wild ? 2 ** length : factor * (length + 1) ** degree

/** The steps that take a few milliseconds at most. A watchdog costs as much as ten thousand steps. */
const freeSteps = 1_000_000

/** Whether a match takes a few milliseconds at most. */
export const isCheap = (cost: PatternCost, length: number): boolean => stepsFor(cost, length) <= freeSteps

/**
 * JavaScriptCore, Bun's engine: there, `node:vm` cannot interrupt a match, and the engine gives up after a few hundred
 * million steps, reporting no match.
 */
const isJavaScriptCore = process.versions.webkit !== undefined
/** Up to a third of a second. */
const unwatchedSteps = 20_000_000

/** Whether a match may take long and no watchdog of this runtime could interrupt it: then it must not be started. */
export const isUnbounded = (cost: PatternCost, length: number): boolean =>
  isJavaScriptCore && stepsFor(cost, length) > unwatchedSteps
