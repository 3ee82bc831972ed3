/** The syntax for choosing calls of a list by number: `1 3-5` or `all` approves, `n 2: too many` denies. */

/** A part of a list. */
export interface Choice {
  readonly isDenial: boolean
  /** Why calls are denied. Default: no reason. */
  readonly reason?: string
  /** Indices in the list, from 0, each once. */
  readonly places: ReadonlyArray<number>
}

const range = (text: string, count: number): Array<number> | undefined => {
  if (text === "all") return Array.from({ length: count }, (_, place) => place)
  const [, from, to = from] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(text) ?? []
  const [first, last] = [Number(from), Number(to)]
  if (!(first >= 1 && first <= last && last <= count)) return undefined
  return Array.from({ length: last - first + 1 }, (_, each) => first - 1 + each)
}

/** Reads a choice from `count` calls; returns a sentence for an invalid one, which decides nothing. */
export const readChoice = (line: string, count: number): Choice | string => {
  const [, denial, rest = ""] = /^\s*(n(?:o)?(?:\s|$))?([\s\S]*)$/i.exec(line) ?? []
  const end = denial === undefined ? -1 : rest.indexOf(":")
  const reason = end === -1 ? "" : rest.slice(end + 1).trim()
  const words = (end === -1 ? rest : rest.slice(0, end)).split(/[\s,]+/).filter((word) => word !== "")
  const places = new Set<number>()
  for (const word of words) {
    const found = range(word.toLowerCase(), count)
    if (found === undefined) return `There is no ${word} in this list: type numbers from 1 to ${count}.`
    for (const place of found) places.add(place)
  }
  if (places.size === 0) return "Type the numbers of calls, such as 1 3-5, or all."
  return { isDenial: denial !== undefined, places: [...places], ...(reason !== "" && { reason }) }
}
