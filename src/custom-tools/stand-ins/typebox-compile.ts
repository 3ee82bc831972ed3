/** `typebox/compile`: version 1's `Compile` over 0.34's compiler, and that compiler under its own name. */
import type { TSchema } from "@sinclair/typebox"
import * as compiler from "@sinclair/typebox/compiler"
import { Value } from "@sinclair/typebox/value"
import { type LocalizedError, toErrorList } from "./typebox-errors.ts"

/** A schema compiled. What changes a value works on a copy, but for `Default` and `Clean`, as in 0.34. */
export class Validator<Schema extends TSchema = TSchema> {
  readonly #schema: Schema
  readonly #check: compiler.TypeCheck<Schema>

  constructor(schema: Schema) {
    this.#schema = schema
    this.#check = compiler.TypeCompiler.Compile(schema)
  }

  Type(): Schema {
    return this.#schema
  }

  Code(): string {
    return this.#check.Code()
  }

  Check(value: unknown): boolean {
    return this.#check.Check(value)
  }

  Errors(value: unknown): Array<LocalizedError> {
    return toErrorList(this.#check.Errors(value))
  }

  Clean(value: unknown): unknown {
    return Value.Clean(this.#schema, value)
  }

  Convert(value: unknown): unknown {
    return Value.Convert(this.#schema, value)
  }

  Create(): unknown {
    return Value.Create(this.#schema)
  }

  Default(value: unknown): unknown {
    return Value.Default(this.#schema, value)
  }

  /** Throws where the value is not valid, after conversion and defaults. */
  Parse(value: unknown): unknown {
    return Value.Parse(this.#schema, value)
  }

  Decode(value: unknown): unknown {
    return this.#check.Decode(value)
  }

  Encode(value: unknown): unknown {
    return this.#check.Encode(value)
  }
}

export const Compile = <Schema extends TSchema>(schema: Schema): Validator<Schema> => new Validator(schema)

/** `@sinclair/typebox/compiler` */
export const typeboxCompilerModule: Readonly<Record<string, unknown>> = { ...compiler }

/** `typebox/compile`, and `@sinclair/typebox/compile` for who expects it there. */
export const typeboxCompileModule: Readonly<Record<string, unknown>> = {
  ...compiler,
  Compile,
  Validator,
  default: Compile,
}
