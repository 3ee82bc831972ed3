/** Copies what foreign code made as plain JSON, so that hosts can show, send and keep it. */

const maxDepth = 200

/**
 * As JSON.stringify sees a value: `toJSON` is honoured; functions, symbols and undefined are left out. Where that would
 * fail or lose everything: a BigInt is its digits, a Map or a Set an array, an Error its name and message, bytes their
 * number, a cycle `"[circular]"`, what is nested past 200 levels `"[too deep]"`, and a property that cannot be read is
 * left out. Never throws.
 */
export const toPlainJson = (value: unknown): unknown => {
  const copies = new Map<object, unknown>()

  const copy = (value: unknown, depth: number): unknown => {
    switch (typeof value) {
      case "string":
      case "boolean":
        return value
      case "number":
        return Number.isFinite(value) ? value : null
      case "bigint":
        return String(value)
      case "object":
        return value === null ? null : copyOnce(value, depth)
      default:
        return undefined
    }
  }

  /** What is held twice is copied once; what holds itself is found here while it is still being copied. */
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
      if (Array.isArray(value) || value instanceof Map || value instanceof Set) {
        return Array.from(value, (item) => copy(item, depth) ?? null)
      }
      const entries = Object.keys(value).map((key) => [key, property(value, key, depth)] as const)
      return Object.fromEntries(entries.filter(([, item]) => item !== undefined))
    } catch {
      return undefined
    }
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
