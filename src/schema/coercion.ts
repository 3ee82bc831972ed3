/**
 * Coerces parameters that a JSON Schema rejects into the shape that it requires, if only one coercion is possible, and
 * fills in its defaults. Changes are made on copies; a value that needs no change is returned as the same object.
 */
import type { JsonSchema } from "./json-schema.ts"
import { coerceEnum, coerceType, onlyOne, toObject } from "./json-type.ts"
import { patternOf } from "./pattern.ts"
import { isPlainObject } from "./plain-object.ts"
import { child, children, type Entries, itemSchema, type Located, namesOf, ownValue } from "./subschema.ts"

/** Whether a value satisfies the subschema at a JSON Pointer of the root schema. */
export type ValidatorAt = (pointer: string) => ((value: unknown) => unknown) | undefined

/** Parameters nested deeper than this are neither filled nor coerced. */
const maxDepth = 512
const maxReferences = 32
/** The number of branches tried in one coercion: otherwise a recursive union would be tried in every combination. */
const maxBranches = 10_000

const checkDepth = (depth: number): void => {
  if (depth > maxDepth) throw new RangeError("Parameters are nested too deeply")
}

/** Plain assignment to `__proto__` would set the prototype. */
const define = (target: Entries, key: string, value: unknown): void => {
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true })
}

const mapItems = (items: ReadonlyArray<unknown>, map: (item: unknown, index: number) => unknown): unknown => {
  const mapped = items.map(map)
  return mapped.every((item, index) => Object.is(item, items[index])) ? items : mapped
}

/** Fills in the defaults of one schema, and coerces values to it. */
export class Coercion {
  private readonly root: Located
  private readonly validatorAt: ValidatorAt
  private readonly hasDefaults: boolean
  private readonly named = new Map<string, Located>()
  /** The patterns of property names, compiled once. */
  private readonly patterns = new Map<string, RegExp>()
  private readonly begin: (value: unknown) => void
  private branches = 0

  /**
   * @param validatorAt Throws for a subschema that does not compile, when it is first needed.
   * @param begin Receives the value that the validators will check next.
   * @param fillsDefaults If false, `fillDefaults` does not fill in defaults.
   */
  constructor(
    schema: JsonSchema,
    validatorAt: ValidatorAt,
    begin: (value: unknown) => void,
    fillsDefaults = true,
  ) {
    this.root = { schema, pointer: "" }
    this.validatorAt = validatorAt
    this.begin = begin
    // Always indexes the references, whether defaults are filled in or not.
    this.hasDefaults = this.index() && fillsDefaults
  }

  /** Throws a RangeError if the value is nested too deeply, or refers to itself. */
  fillDefaults(value: unknown): unknown {
    return this.hasDefaults ? this.fill(this.root, value, 0) : value
  }

  /** Returns the value unchanged if it is nested too deeply or too complex. */
  coerce(value: unknown): unknown {
    this.branches = 0
    this.begin(value)
    try {
      // Some models send all parameters as one string.
      return this.coerceTo(this.root, toObject(value), 0)
    } catch (error) {
      // For example, a scalar for an infinitely nested array of arrays.
      if (error instanceof RangeError) return value
      throw error
    }
  }

  /** Finds the targets of references, and whether there are any defaults. */
  private index(): boolean {
    let hasDefaults = false
    const seen = new Set<unknown>()
    const pending: Array<Located> = [this.root]
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const { schema } = next
      if (seen.has(schema)) continue
      seen.add(schema)
      if (Object.hasOwn(schema, "default")) hasDefaults = true
      if (typeof schema.$id === "string") this.named.set(schema.$id, next)
      if (typeof schema.$anchor === "string") this.named.set(`#${schema.$anchor}`, next)
      for (const key of Object.keys(schema)) {
        const found = child(next, key)
        pending.push(...(found === undefined ? children(next, key) : [found]))
      }
    }
    return hasDefaults
  }

  private resolve(reference: string): Located | undefined {
    if (reference === "#") return this.root
    if (!reference.startsWith("#/")) return this.named.get(reference)
    try {
      const keys = reference.slice(2).split("/")
      const unescape = (key: string) => decodeURIComponent(key).replaceAll("~1", "/").replaceAll("~0", "~")
      return child(this.root, ...keys.map(unescape))
    } catch {
      return undefined
    }
  }

  /** A schema with everything that must also hold: the target of its reference, and the parts of `allOf`. */
  private *conjuncts(at: Located, references = 0): Generator<Located> {
    yield at
    if (references > maxReferences) return
    const { $ref } = at.schema
    const target = typeof $ref === "string" ? this.resolve($ref) : undefined
    if (target !== undefined) yield* this.conjuncts(target, references + 1)
    for (const part of children(at, "allOf")) yield* this.conjuncts(part, references + 1)
  }

  private fill(at: Located, value: unknown, depth: number): unknown {
    checkDepth(depth)
    if (typeof value !== "object" || value === null) return value
    let filled: unknown = value
    for (const part of this.conjuncts(at)) {
      filled = Array.isArray(filled)
        ? mapItems(filled, (item, index) => {
            const schema = itemSchema(part, index)
            return schema === undefined ? item : this.fill(schema, item, depth + 1)
          })
        : this.fillProperties(part, filled as Entries, depth)
    }
    return filled
  }

  private fillProperties(at: Located, value: Entries, depth: number): Entries {
    let copy: Entries | undefined
    for (const key of namesOf(at.schema.properties)) {
      const property = child(at, "properties", key)
      if (property === undefined) continue
      const before = ownValue(value, key)
      const after = before === undefined ? this.defaultOf(property) : this.fill(property, before, depth + 1)
      if (Object.is(before, after)) continue
      copy ??= { ...value }
      define(copy, key, after)
    }
    return copy ?? value
  }

  private defaultOf(at: Located): unknown {
    for (const { schema } of this.conjuncts(at)) {
      // A copy, because a tool may change its parameters, and all calls share the schema.
      if (Object.hasOwn(schema, "default")) return structuredClone(schema.default)
    }
    return undefined
  }

  private coerceTo(at: Located, value: unknown, depth: number): unknown {
    checkDepth(depth)
    let coerced = value
    for (const part of this.conjuncts(at)) coerced = this.coercePart(part, coerced, depth)
    return coerced
  }

  private coercePart(at: Located, value: unknown, depth: number): unknown {
    const { schema } = at
    const typed = coerceEnum(schema, coerceType(schema, value))
    const inner = Array.isArray(typed)
      ? mapItems(typed, (item, index) => {
          const items = itemSchema(at, index)
          return items === undefined ? item : this.coerceTo(items, item, depth + 1)
        })
      : isPlainObject(typed)
        ? this.coerceProperties(at, typed, depth)
        : typed
    return this.coerceBranch(at, "oneOf", this.coerceBranch(at, "anyOf", inner, depth), depth)
  }

  private coerceProperties(at: Located, value: Entries, depth: number): Entries {
    let copy: Entries | undefined
    for (const key of Object.keys(value)) {
      const property = this.propertySchema(at, key)
      if (property === undefined) continue
      if (value[key] === null && this.dropsNull(at, property, key)) {
        copy ??= { ...value }
        delete copy[key]
        continue
      }
      const after = this.coerceTo(property, value[key], depth + 1)
      if (Object.is(after, value[key])) continue
      copy ??= { ...value }
      define(copy, key, after)
    }
    return copy ?? value
  }

  private patternOf(source: string): RegExp {
    let pattern = this.patterns.get(source)
    if (pattern === undefined) {
      pattern = patternOf(source)
      this.patterns.set(source, pattern)
    }
    return pattern
  }

  private propertySchema(at: Located, key: string): Located | undefined {
    const { properties } = at.schema
    if (isPlainObject(properties) && Object.hasOwn(properties, key)) return child(at, "properties", key)
    const pattern = namesOf(at.schema.patternProperties).find((source) => this.patternOf(source).test(key))
    return pattern === undefined ? child(at, "additionalProperties") : child(at, "patternProperties", pattern)
  }

  /** `null` for an optional property that does not accept it means that the property was left out. */
  private dropsNull(at: Located, property: Located, key: string): boolean {
    const { required } = at.schema
    const isRequired = Array.isArray(required) && required.includes(key)
    if (isRequired && this.defaultOf(property) === undefined) return false
    return this.validatorAt(property.pointer)?.(null) === false
  }

  /** If no branch accepts the value unchanged, coerces it, provided that all branches that then accept it agree on the result. */
  private coerceBranch(at: Located, keyword: "anyOf" | "oneOf", value: unknown, depth: number): unknown {
    const results: Array<unknown> = []
    for (const branch of children(at, keyword)) {
      const isValid = this.validatorAt(branch.pointer)
      if (isValid === undefined || isValid(value) === true) return value
      this.branches += 1
      if (this.branches > maxBranches) throw new RangeError("Too many branches")
      const coerced = this.coerceTo(branch, value, depth + 1)
      if (isValid(coerced) === true) results.push(coerced)
    }
    const result = onlyOne(results)
    return result === undefined ? value : result.value
  }
}
