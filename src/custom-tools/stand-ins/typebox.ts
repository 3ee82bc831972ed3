/**
 * What tools write schemas with: `typebox` and `@sinclair/typebox` are version 0.34, with additions for tools written for version 1
 * or for pi.
 */
import * as sinclair from "@sinclair/typebox"
import { Kind, type TSchema, TypeRegistry } from "@sinclair/typebox"
import { requireBeside } from "../../io/beside.ts"
import type { ToolDefinition } from "../extension.ts"

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

/** A schema of one of these strings, as both agents publish it: model providers accept it, unlike a union. */
export const StringEnum = <const Value extends string>(
  values: ReadonlyArray<Value>,
  options: StringEnumOptions<Value> = {},
): TStringEnum<Value> =>
  ({ ...options, [Kind]: "StringEnum", type: "string", enum: [...values] }) as unknown as TStringEnum<Value>

/** Version 1 also accepts a list of values, from which 0.34 would make an enum of its length. */
const Enum = (values: object, options?: sinclair.SchemaOptions): TSchema =>
  Array.isArray(values)
    ? sinclair.Type.Unsafe({ ...options, enum: values })
    : sinclair.Type.Enum(values as Record<string, string | number>, options)

/** The builders of 0.34: plain functions of an object, although their type declares methods of a class. */
export const Type = { ...sinclair.Type, Enum, StringEnum } as typeof sinclair.Type & {
  readonly StringEnum: typeof StringEnum
}

/** `@sinclair/typebox` */
export const typeboxModule: Readonly<Record<string, unknown>> = { ...sinclair, Type }

/** `typebox`: the builders are also named exports, and `Type` is the default export. */
export const typebox1Module: Readonly<Record<string, unknown>> = {
  ...sinclair,
  ...Type,
  Type,
  default: Type,
}

/** Returns a tool of pi unchanged. `execute` and the renderers get parameters of the type that `parameters` describes. */
export const defineTool = <TParams extends TSchema, TDetails = unknown>(
  tool: ToolDefinition<TParams, TDetails>,
): ToolDefinition<TParams, TDetails> => tool

/** The zod that oh-my-pi provides to its tools, if none is installed for them. Loaded on first use. */
export const ownZod = (): Readonly<Record<string, unknown>> => requireBeside("zod")
