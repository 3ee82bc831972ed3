/** `typebox` and `@sinclair/typebox`: version 0.34 with what tools written for version 1 or for pi use beside it. */
import * as sinclair from "@sinclair/typebox"
import { StringEnum } from "./string-enum.ts"

type EnumOptions = sinclair.SchemaOptions

/** Version 1 takes a list of values too; of a list, 0.34 would make an enum of its length. */
const Enum = (values: object, options?: EnumOptions): sinclair.TSchema =>
  Array.isArray(values)
    ? sinclair.Type.Unsafe({ ...options, enum: values })
    : sinclair.Type.Enum(values as Record<string, string | number>, options)

/** The builders of 0.34, which are plain functions of one object, though their type says methods of a class. */
export const Type = { ...sinclair.Type, Enum, StringEnum } as typeof sinclair.Type & {
  readonly StringEnum: typeof StringEnum
}

/** `@sinclair/typebox` */
export const typeboxModule: Readonly<Record<string, unknown>> = { ...sinclair, Type }

/** `typebox`: the builders are its own exports too, and `Type` is its default one. */
export const typebox1Module: Readonly<Record<string, unknown>> = {
  ...sinclair,
  ...Type,
  Type,
  default: Type,
}
