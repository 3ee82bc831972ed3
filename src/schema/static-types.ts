/**
 * The types that a schema describes. They are derived from its shape, not from a library's own types, so that a schema of
 * any copy of TypeBox works, and none of the libraries has to be installed for the others.
 */

type Compact<T> = { [Key in keyof T]: T[Key] } & {}

/** A schema of `@sinclair/typebox`. */
interface TypeBoxSchema {
  readonly params: ReadonlyArray<unknown>
  readonly static: unknown
}

type StaticOfTypeBox<S extends TypeBoxSchema> = (S & { readonly params: [] })["static"]

// --- `typebox` 1, whose schemas have no static type

type ObjectOf<P> = Compact<
  { -readonly [Key in keyof P as P[Key] extends { "~optional": true } ? never : Key]: ValueOf<P[Key]> } & {
    -readonly [Key in keyof P as P[Key] extends { "~optional": true } ? Key : never]?: ValueOf<P[Key]>
  }
>

type TupleOf<T> = T extends [infer First, ...infer Rest] ? [ValueOf<First>, ...TupleOf<Rest>] : []

type AllOf<T> = T extends [infer First, ...infer Rest] ? ValueOf<First> & AllOf<Rest> : unknown

interface Scalars {
  readonly String: string
  readonly Number: number
  readonly Integer: number
  readonly Boolean: boolean
  readonly Null: null
  readonly Undefined: undefined
  readonly Never: never
}

/** The type that a schema of `typebox` 1 describes; `unknown` for schemas that are not covered here, such as a recursive type. */
type ValueOf<S> = S extends { "~unsafe": infer T }
  ? T
  : S extends { "~kind": keyof Scalars }
    ? Scalars[S["~kind"]]
    : S extends { "~kind": "Object"; properties: infer P }
      ? ObjectOf<P>
      : S extends { "~kind": "Array"; items: infer Item }
        ? Array<ValueOf<Item>>
        : S extends { "~kind": "Union"; anyOf: ReadonlyArray<infer Each> }
          ? Each extends unknown
            ? ValueOf<Each>
            : never
          : S extends { "~kind": "Literal"; const: infer Value }
            ? Value
            : S extends { "~kind": "Enum"; enum: ReadonlyArray<infer Value> }
              ? Value
              : S extends { "~kind": "Tuple"; items: infer Items }
                ? TupleOf<Items>
                : S extends { "~kind": "Intersect"; allOf: infer Parts }
                  ? AllOf<Parts>
                  : S extends { "~kind": "Record"; patternProperties: infer P }
                    ? Record<string, ValueOf<P[keyof P]>>
                    : unknown

// --- All schemas

/** The input JSON of a schema, and its output. */
interface TypesOf<Input, Output> {
  readonly input: Input
  readonly output: Output
}

type Types<S> = S extends { readonly "~standard": { readonly types?: infer T } }
  ? NonNullable<T>
  : S extends { readonly Encoded: infer Input; readonly Type: infer Output; readonly ast: unknown }
    ? TypesOf<Input, Output>
    : S extends TypeBoxSchema
      ? TypesOf<StaticOfTypeBox<S>, StaticOfTypeBox<S>>
      : S extends { readonly "~kind": string }
        ? TypesOf<ValueOf<S>, ValueOf<S>>
        : TypesOf<Record<string, unknown>, Record<string, unknown>>

/**
 * The type of `params` for `compose`: the output type of a Standard Schema, TypeBox's static type, otherwise a record of
 * unknowns.
 */
export type ParamsOf<S> =
  Types<S> extends { readonly output: infer Output } ? Output : Record<string, unknown>

/**
 * The type of a schema's input JSON, as rules and events see it: the input type of a Standard Schema, otherwise the same
 * as `ParamsOf`.
 */
export type InputOf<S> = Types<S> extends { readonly input: infer Input } ? Input : Record<string, unknown>
