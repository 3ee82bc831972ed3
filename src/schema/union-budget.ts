/**
 * Bounds the work of a recursive union. Where several branches hold the union again under one key and none of them fits, each
 * is followed to its end: that doubles, at least, with each level of what a model sent.
 */
import type { JsonSchema } from "./json-schema.ts"
import { isPlainObject } from "./plain-object.ts"

/** Stands beside each union, and counts how often it is tried. */
export const countedUnion = "stepline-counted-union"

/** Keywords whose values are data, not schemas. */
export const dataKeywords: ReadonlySet<string> = new Set(["const", "default", "enum", "examples"])

/** The same schema, with the keyword beside each `anyOf` and `oneOf`. */
export const withCountedUnions = (schema: JsonSchema): JsonSchema => {
  const copy = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(copy)
    if (!isPlainObject(value)) return value
    const entries = Object.entries(value).map(([key, child]) => [
      key,
      dataKeywords.has(key) ? child : copy(child),
    ])
    // A property of such a name has a schema, and no list of them.
    if (Array.isArray(value.anyOf) || Array.isArray(value.oneOf)) entries.push([countedUnion, true])
    return Object.fromEntries(entries)
  }
  return copy(schema) as JsonSchema
}

/** Unions that are tried for any value. */
const maxTries = 20_000
/** For a larger one: so many for each value in it, or as many as the unions of its schema have branches. */
const triesEach = 16

const isUnion = (key: string): boolean => key === "anyOf" || key === "oneOf"

/** The branches of all unions of a schema: so often a value may be tried that fits the last of them. */
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

/** How many values a value is made of, itself among them. */
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

/** How often unions may still be tried for one value. */
export class UnionBudget {
  private readonly each: number
  private value: unknown
  private left = 0
  private isWhole = false

  constructor(schema: JsonSchema) {
    this.each = Math.max(triesEach, branchesOf(schema))
  }

  /** From here on, unions are tried for this value. */
  begin(value: unknown): void {
    this.value = value
    this.left = maxTries
    this.isWhole = false
  }

  /** Throws a RangeError where they were tried more often than the size of the value explains. */
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
