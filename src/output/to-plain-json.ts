/** Copies values from outside as plain JSON, so that hosts can show, send and store them. */

const maxDepth = 200
/** The limits of everything that is copied together: values, and characters of strings. */
const maxValues = 100_000
const maxCharacters = 20_000_000

const leftOut = (count: number): string => `[${count} more left out]`

/**
 * Copies a value as JSON.stringify does: calls `toJSON`; leaves out functions, symbols and undefined. Other values, which
 * JSON.stringify would reject or lose: a BigInt becomes its digits, a Set an array, a Map an object if all its keys are
 * strings and otherwise an array of pairs, an Error its name and message, bytes their number, a cycle `"[circular]"`, a
 * value nested deeper than 200 levels `"[too deep]"`; a property that cannot be read is left out. Past 100,000 values or
 * 20,000,000 characters the rest is left out, and replaced by a note of how much. Never throws.
 */
export const toPlainJson = (value: unknown): unknown => {
  const copies = new Map<object, unknown>()
  let values = maxValues
  let characters = maxCharacters

  const copyText = (text: string): string => {
    if (text.length > characters) return `[${text.length} characters left out]`
    characters -= text.length
    return text
  }

  const copy = (value: unknown, depth: number): unknown => {
    values--
    switch (typeof value) {
      case "string":
        return copyText(value)
      case "boolean":
        return value
      case "number":
        return Number.isFinite(value) ? value : null
      case "bigint":
        return String(value)
      case "object":
        return value === null ? null : copyOnce(value, depth)
      case "function":
        return "toJSON" in value ? copyOnce(value, depth) : undefined
      default:
        return undefined
    }
  }

  /** Copies a value that occurs twice only once; a value that contains itself is found here while it is still being copied. */
  const copyOnce = (value: object, depth: number): unknown => {
    if (copies.has(value)) return copies.get(value)
    if (depth >= maxDepth) return "[too deep]"
    copies.set(value, "[circular]")
    const copied = copyObject(value, depth + 1)
    copies.set(value, copied)
    return copied
  }

  const copyObject = (value: object, depth: number): unknown => {
    try {
      const { toJSON } = value as { toJSON?: unknown }
      if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
      if (typeof toJSON === "function") return copy(toJSON.call(value, ""), depth)
      if (value instanceof Error) return { name: value.name, message: value.message }
      if (Array.isArray(value)) return copyItems(value, value.length, depth)
      if (value instanceof Set) return copyItems(value, value.size, depth)
      if (value instanceof Map) {
        const keys = [...value.keys()]
        if (!keys.every((key) => typeof key === "string")) return copyItems(value, value.size, depth)
        return copyProperties(keys, (key) => copy(value.get(key), depth))
      }
      return copyProperties(Object.keys(value), (key) => property(value, key, depth))
    } catch {
      return undefined
    }
  }

  const copyProperties = (keys: ReadonlyArray<string>, copyOf: (key: string) => unknown): object => {
    const entries: Array<readonly [string, unknown]> = []
    for (const [index, key] of keys.entries()) {
      if (values <= 0) {
        entries.push(["…", leftOut(keys.length - index)])
        break
      }
      entries.push([copyText(key), copyOf(key)])
    }
    return Object.fromEntries(entries.filter(([, item]) => item !== undefined))
  }

  const copyItems = (items: Iterable<unknown>, count: number, depth: number): Array<unknown> => {
    const copied: Array<unknown> = []
    for (const item of items) {
      if (values <= 0) return [...copied, leftOut(count - copied.length)]
      copied.push(copy(item, depth) ?? null)
    }
    return copied
  }

  const property = (value: object, key: string, depth: number): unknown => {
    try {
      return copy((value as Record<string, unknown>)[key], depth)
    } catch {
      return undefined
    }
  }

  return copy(value, 0)
}
