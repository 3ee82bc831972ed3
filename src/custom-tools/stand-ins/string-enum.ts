/** A string enum as `{ type: "string", enum }`, which all model providers accept, unlike a union. */
import { Kind, type TSchema, TypeRegistry } from "@sinclair/typebox"

export interface TStringEnum<Value extends string = string> extends TSchema {
  readonly [Kind]: "StringEnum"
  readonly static: Value
  readonly type: "string"
  readonly enum: ReadonlyArray<Value>
}

export interface StringEnumOptions<Value extends string = string> {
  readonly description?: string
  readonly default?: Value
}

// A separate kind, because TypeBox refuses to check an unsafe type.
TypeRegistry.Set<TStringEnum>("StringEnum", (schema, value) => schema.enum.some((each) => each === value))

/** A schema of one of these strings, as both agents publish it. */
export const StringEnum = <const Value extends string>(
  values: ReadonlyArray<Value>,
  options: StringEnumOptions<Value> = {},
): TStringEnum<Value> =>
  ({ ...options, [Kind]: "StringEnum", type: "string", enum: [...values] }) as unknown as TStringEnum<Value>
