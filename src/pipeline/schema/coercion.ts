/**
 * What a model meant: brings parameters that a JSON Schema refuses into the shape that it asks for, where only one is
 * possible, and fills in its defaults. Copies what it changes; what needs no change comes back as the same object.
 */

/** A JSON Schema that is an object. */
export type SchemaObject = Readonly<Record<string, unknown>>

/** Whether a value satisfies the subschema at a JSON Pointer of the root schema. */
export type ValidatorAt = (pointer: string) => ((value: unknown) => unknown) | undefined

/** The two ways in which parameters are brought into the shape of one schema. */
export interface Coercion {
  /** Throws a RangeError where the value is too deep, or refers to itself. */
  fillDefaults(value: unknown): unknown
  /** Gives the value itself where it is too deep or too intricate. */
  coerce(value: unknown): unknown
}

interface Located {
  readonly schema: SchemaObject
  readonly pointer: string
}

type Entries = Record<string, unknown>

/** Deeper parameters are not filled or coerced. */
const maxDepth = 512
const maxReferences = 32
/** Branches tried in one coercion: a recursive union would else be tried in every combination. */
const maxBranches = 10_000

/** Whether a value is a JSON object: neither null nor an array. */
export const isPlainObject = (value: unknown): value is Entries =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const checkDepth = (depth: number): void => {
  if (depth > maxDepth) throw new RangeError("Parameters are nested too deeply")
}

/** Plain assignment to `__proto__` would set the prototype. */
const define = (target: Entries, key: string, value: unknown): void => {
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true })
}

const ownValue = (object: Entries, key: string): unknown =>
  Object.hasOwn(object, key) ? object[key] : undefined

const pointerTo = ({ pointer }: Located, ...keys: ReadonlyArray<string>): string =>
  keys.reduce(
    (path, key) => `${path}/${encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"))}`,
    pointer,
  )

const child = (parent: Located, ...keys: ReadonlyArray<string>): Located | undefined => {
  let schema: unknown = parent.schema
  for (const key of keys) {
    if (typeof schema !== "object" || schema === null) return undefined
    schema = ownValue(schema as Entries, key)
  }
  return isPlainObject(schema) ? { schema, pointer: pointerTo(parent, ...keys) } : undefined
}

const children = (parent: Located, keyword: string): Array<Located> => {
  const list = parent.schema[keyword]
  if (!Array.isArray(list)) return []
  return list.flatMap((_, index) => child(parent, keyword, String(index)) ?? [])
}

const namesOf = (schema: unknown): Array<string> => (isPlainObject(schema) ? Object.keys(schema) : [])

const mapItems = (items: ReadonlyArray<unknown>, map: (item: unknown, index: number) => unknown): unknown => {
  const mapped = items.map(map)
  return mapped.every((item, index) => Object.is(item, items[index])) ? items : mapped
}

/** The schema of an array's item: of a tuple in either dialect, or of all items alike. */
const itemSchema = (array: Located, index: number): Located | undefined => {
  for (const keyword of ["prefixItems", "items"]) {
    const tuple = array.schema[keyword]
    if (!Array.isArray(tuple)) continue
    if (index < tuple.length) return child(array, keyword, String(index))
    if (keyword === "items") return child(array, "additionalItems")
  }
  return child(array, "items")
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const numberPattern = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

const toNumber = (value: unknown): unknown => {
  if (typeof value !== "string" || !numberPattern.test(value)) return value
  const number = Number(value)
  // A number that loses digits, such as a long id, is not what was written.
  if (!Number.isFinite(number) || (Number.isInteger(number) && !Number.isSafeInteger(number))) return value
  return number
}

const toArray = (value: unknown): unknown => {
  if (value === null || value === undefined || Array.isArray(value)) return value
  const parsed = typeof value === "string" ? parseJson(value) : undefined
  return Array.isArray(parsed) ? parsed : [value]
}

const toObject = (value: unknown): unknown => {
  const parsed = typeof value === "string" ? parseJson(value) : undefined
  return isPlainObject(parsed) ? parsed : value
}

const toType = (type: unknown, value: unknown): unknown => {
  switch (type) {
    case "number":
    case "integer":
      return toNumber(value)
    case "boolean":
      if (value === "true") return true
      return value === "false" ? false : value
    case "string":
      return typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value))
        ? String(value)
        : value
    case "array":
      return toArray(value)
    case "object":
      return toObject(value)
    default:
      return value
  }
}

const hasType = (type: unknown, value: unknown): boolean => {
  switch (type) {
    case "integer":
      return Number.isInteger(value)
    case "array":
      return Array.isArray(value)
    case "object":
      return isPlainObject(value)
    case "null":
      return value === null
    default:
      return typeof value === type
  }
}

/** The one value among several that is left; undefined where there is none, or a choice. */
const onlyOne = (values: ReadonlyArray<unknown>): { readonly value: unknown } | undefined => {
  const [first, ...rest] = values
  return values.length > 0 && rest.every((value) => Object.is(value, first)) ? { value: first } : undefined
}

const coerceType = (schema: SchemaObject, value: unknown): unknown => {
  if (schema.type === undefined || (schema.nullable === true && value === null)) return value
  const types = [schema.type].flat()
  if (types.some((type) => hasType(type, value))) return value
  const results = types.map((type) => toType(type, value)).filter((result) => !Object.is(result, value))
  const result = onlyOne(results)
  return result === undefined ? value : result.value
}

/** `"5"` where only 5 is allowed, and the other way round. */
const coerceEnum = (schema: SchemaObject, value: unknown): unknown => {
  const allowed = Object.hasOwn(schema, "const") ? [schema.const] : schema.enum
  if (!Array.isArray(allowed) || schema.type !== undefined || typeof value === "object") return value
  if (allowed.includes(value)) return value
  const alike = allowed.filter(
    (member) => ["string", "number", "boolean"].includes(typeof member) && String(member) === String(value),
  )
  return onlyOne(alike)?.value ?? value
}

class SchemaCoercion implements Coercion {
  private readonly root: Located
  private readonly validatorAt: ValidatorAt
  private readonly hasDefaults: boolean
  private readonly named = new Map<string, Located>()
  private branches = 0

  constructor(schema: SchemaObject, validatorAt: ValidatorAt) {
    this.root = { schema, pointer: "" }
    this.validatorAt = validatorAt
    this.hasDefaults = this.index()
  }

  fillDefaults(value: unknown): unknown {
    return this.hasDefaults ? this.fill(this.root, value, 0) : value
  }

  coerce(value: unknown): unknown {
    this.branches = 0
    try {
      // Some models send all parameters as one string.
      return this.coerceTo(this.root, toObject(value), 0)
    } catch (error) {
      // Such as a scalar for an array of arrays of arrays, and so on for ever.
      if (error instanceof RangeError) return value
      throw error
    }
  }

  /** Finds what references name, and whether there are defaults at all. */
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

  /** A schema with all that must hold beside it: what it refers to, and the parts of `allOf`. */
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
      // A copy: a tool may change its parameters, the schema is for all calls.
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

  private propertySchema(at: Located, key: string): Located | undefined {
    const { properties } = at.schema
    if (isPlainObject(properties) && Object.hasOwn(properties, key)) return child(at, "properties", key)
    const pattern = namesOf(at.schema.patternProperties).find((source) => new RegExp(source).test(key))
    return pattern === undefined ? child(at, "additionalProperties") : child(at, "patternProperties", pattern)
  }

  /** `null` for an optional property that takes none means that it was left out. */
  private dropsNull(at: Located, property: Located, key: string): boolean {
    const { required } = at.schema
    const isRequired = Array.isArray(required) && required.includes(key)
    if (isRequired && this.defaultOf(property) === undefined) return false
    return this.validatorAt(property.pointer)?.(null) === false
  }

  /** Where no branch takes the value as it stands, the one that takes it once coerced, if it is the only one. */
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

/** Throws where a subschema does not compile, when it is first needed. */
export const makeCoercion = (schema: SchemaObject, validatorAt: ValidatorAt): Coercion =>
  new SchemaCoercion(schema, validatorAt)
