/** The message of a thrown value. */

/** The maximum characters of a failure's fields: text for a model must stay short. */
const maxFieldChars = 2000

/** The fields of a failure without a message, as JSON. */
const fieldsOf = (failure: object): string => {
  const { _tag, name, stack, message, cause, ...fields } = failure as Record<string, unknown>
  if (Object.keys(fields).length === 0) return ""
  const json = JSON.stringify(fields, (_key, value) => (typeof value === "bigint" ? `${value}` : value))
  return json.length <= maxFieldChars
    ? json
    : `${json.slice(0, maxFieldChars)}… [truncated: ${json.length} characters]`
}

const tagged = (tag: string, failure: object): string => {
  try {
    const fields = fieldsOf(failure)
    return fields === "" ? tag : `${tag}: ${fields}`
  } catch {
    return tag
  }
}

/** The maximum number of failures of an AggregateError in a message. */
const maxFailures = 8

/**
 * The messages of an AggregateError's failures. The error itself has no message if Node could reach none of a host's
 * addresses.
 */
const messagesIn = (errors: unknown): string => {
  if (!Array.isArray(errors)) return ""
  const messages = errors.slice(0, maxFailures).map((error) => (error as Partial<Error> | undefined)?.message)
  return [...new Set(messages)].filter((message) => typeof message === "string" && message !== "").join("; ")
}

/** The message of any thrown value: an Error's message, a string, a tagged failure's name and fields. Never throws. */
export const messageOf = (error: unknown): string => {
  try {
    if (typeof error === "string") return error
    if (typeof error === "object" && error !== null) {
      const { message, _tag, name } = error as { message?: unknown; _tag?: unknown; name?: unknown }
      if (typeof message === "string" && message !== "") return message
      if (typeof _tag === "string") return tagged(_tag, error)
      if (error instanceof Error && typeof name === "string")
        return messagesIn((error as Partial<AggregateError>).errors) || name
      return JSON.stringify(error) ?? "unknown failure"
    }
    return String(error)
  } catch {
    return "unknown failure"
  }
}
