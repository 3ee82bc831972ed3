/** `typebox/compile`: version 1's `Compile` based on 0.34's compiler, and that compiler under its own name. */
import type { Static, TSchema } from "@sinclair/typebox"
import * as compiler from "@sinclair/typebox/compiler"
import { Value } from "@sinclair/typebox/value"
import { type LocalizedError, toErrorList } from "./typebox-errors.ts"

/** The commonly used part of version 1's validator. */
export interface Validator<Schema extends TSchema> {
  Check(value: unknown): value is Static<Schema>
  Errors(value: unknown): Array<LocalizedError>
  /** Converts a copy and applies defaults; throws if it is invalid. */
  Parse(value: unknown): Static<Schema>
}

export const Compile = <Schema extends TSchema>(schema: Schema): Validator<Schema> => {
  const check = compiler.TypeCompiler.Compile(schema)
  return {
    Check: (value) => check.Check(value),
    Errors: (value) => toErrorList(check.Errors(value)),
    Parse: (value) => Value.Parse(schema, value),
  }
}

/** `@sinclair/typebox/compiler` */
export const typeboxCompilerModule: Readonly<Record<string, unknown>> = { ...compiler }

/** `typebox/compile`, also available as `@sinclair/typebox/compile`. */
export const typeboxCompileModule: Readonly<Record<string, unknown>> = {
  ...compiler,
  Compile,
  default: Compile,
}
