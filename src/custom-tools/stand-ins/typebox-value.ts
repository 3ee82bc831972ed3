/** `typebox/value` and `@sinclair/typebox/value`. */
import * as sinclair from "@sinclair/typebox/value"
import { toErrorList } from "./typebox-errors.ts"

/** Version 1 returns its errors as a list. */
const Errors: (...args: Parameters<typeof sinclair.Value.Errors>) => ReturnType<typeof toErrorList> = (
  ...args
) => toErrorList(sinclair.Value.Errors(...args))

const Value = { ...sinclair.Value, Errors }

/** `@sinclair/typebox/value` */
export const typeboxValueModule: Readonly<Record<string, unknown>> = { ...sinclair }

/** `typebox/value` */
export const typebox1ValueModule: Readonly<Record<string, unknown>> = {
  ...sinclair,
  ...Value,
  Value,
  default: Value,
}
