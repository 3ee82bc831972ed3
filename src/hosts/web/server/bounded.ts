/** Bounds texts for a page, with a note about the omitted part. */

/** Maximum characters of one text for a page. */
export const maxShown = 100_000

/** The start of a text, followed by its full length. */
export const bounded = (text: string, max = maxShown): string =>
  text.length <= max ? text : `${text.slice(0, max)}\n[cut: ${text.length} characters in all]`

/** Maximum characters of a name. */
const maxName = 200
/** Maximum characters of one line for people. */
const maxTitle = 300

/** The start of a name: models can make names of any length. */
export const boundedName = (name: string): string => bounded(name, maxName)

/** The start of a line for people. */
export const boundedTitle = (title: string): string => bounded(title, maxTitle)

/** Whether `bounded` would cut the text. */
export const isCut = (text: string): boolean => text.length > maxShown

/** How many parts of a value are counted before it is considered large. */
const maxCounted = 200

/** The approximate length of a value as JSON; undefined if it is too large to be counted, or to be shown whole. */
export const roughSize = (value: unknown): number | undefined => {
  const values = [value]
  let size = 0
  for (let index = 0; index < values.length; index++) {
    const next = values[index]
    if (typeof next === "string") size += next.length
    else if (typeof next === "object" && next !== null) {
      const within = Array.isArray(next) ? next : Object.entries(next).flat()
      if (values.length + within.length > maxCounted) return undefined
      values.push(...within)
    }
    size += 8
    if (size > maxShown) return undefined
  }
  return size
}
