/** `typebox` and `@sinclair/typebox`: version 0.34 with additions for tools written for version 1 or for pi. */
import * as sinclair from "@sinclair/typebox"
import { StringEnum } from "./string-enum.ts"

type EnumOptions = sinclair.SchemaOptions

/** Version 1 also accepts a list of values, from which 0.34 would make an enum of its length. */
const Enum = (values: object, options?: EnumOptions): sinclair.TSchema =>
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
