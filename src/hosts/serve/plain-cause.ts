import { messageOf } from "../../text/message-of.ts"

/** The same as plain JSON: what caused a failure is told by its message. */
export const plainCause = <T extends object>(value: T): T | (Omit<T, "cause"> & { cause: string }) =>
  "cause" in value && value.cause !== undefined ? { ...value, cause: messageOf(value.cause) } : value
