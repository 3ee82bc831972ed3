import { messageOf } from "../../text/message-of.ts"

/** Replaces a cause by its message, so that the value is plain JSON. */
export const plainCause = <T extends object>(value: T): T | (Omit<T, "cause"> & { cause: string }) =>
  "cause" in value && value.cause !== undefined ? { ...value, cause: messageOf(value.cause) } : value
