/**
 * Limits the work of a recursive union. If several branches contain the union again under the same key and none of them fits,
 * each is followed to its end: the work at least doubles with each level of the parameters.
 */
import type { JsonSchema } from "./json-schema.ts"
import { isPlainObject } from "./plain-object.ts"

/** The keyword that is added next to each union, and counts how often it is tried. */
export const countedUnion = "stepline-counted-union"

/** Keywords whose values are data, not schemas. */
export const dataKeywords: ReadonlySet<string> = new Set(["const", "default", "enum", "examples"])

/** The same schema, with the keyword next to each `anyOf` and `oneOf`. */
export const withCountedUnions = (schema: JsonSchema): JsonSchema => {
  const copy = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(copy)
    if (!isPlainObject(value)) return value
    const entries = Object.entries(value).map(([key, child]) => [
      key,
      dataKeywords.has(key) ? child : copy(child),
    ])
    // A property of this name has a schema, not a list of schemas.
    if (Array.isArray(value.anyOf) || Array.isArray(value.oneOf)) entries.push([countedUnion, true])
    return Object.fromEntries(entries)
  }
  return copy(schema) as JsonSchema
}

/** How often unions may be tried for any value. */
const maxTries = 20_000
/** The tries for each value in a larger value: this number or, if greater, the number of branches of all unions. */
const triesEach = 16

const isUnion = (key: string): boolean => key === "anyOf" || key === "oneOf"

/** The number of branches of all unions of a schema: a value that fits the last of them may be tried this often. */
const branchesOf = (schema: unknown): number => {
  if (typeof schema !== "object" || schema === null) return 0
  let branches = 0
  for (const [key, child] of Object.entries(schema)) {
    if (dataKeywords.has(key)) continue
    if (isUnion(key) && Array.isArray(child)) branches += child.length
    branches += branchesOf(child)
  }
  return branches
}

/** The number of values in a value, including itself. */
const sizeOf = (value: unknown): number => {
  const seen = new Set<unknown>()
  let size = 0
  const pending = [value]
  while (pending.length > 0) {
    const next = pending.pop()
    size += 1
    if (typeof next !== "object" || next === null || seen.has(next)) continue
    seen.add(next)
    for (const child of Object.values(next)) pending.push(child)
  }
  return size
}

/** The remaining number of tries of unions for one value. */
export class UnionBudget {
  private readonly each: number
  private value: unknown
  private left = 0
  private isWhole = false

  constructor(schema: JsonSchema) {
    this.each = Math.max(triesEach, branchesOf(schema))
  }

  /** Starts the budget of this value. */
  begin(value: unknown): void {
    this.value = value
    this.left = maxTries
    this.isWhole = false
  }

  /** Throws a RangeError if unions were tried more often than the size of the value explains. */
  readonly spend = (): true => {
    this.left -= 1
    if (this.left >= 0) return true
    if (!this.isWhole) {
      this.isWhole = true
      this.left = this.each * sizeOf(this.value) - maxTries
    }
    if (this.left < 0) throw new RangeError("A union is tried in too many combinations")
    return true
  }
}
