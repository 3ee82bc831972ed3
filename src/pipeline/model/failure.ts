/** The sentence that a thrown value stands for. */

/** Never throws, whatever was thrown: an Error's message, a string, a tagged failure's name. */
export const messageOf = (error: unknown): string => {
  try {
    if (typeof error === "string") return error
    if (typeof error === "object" && error !== null) {
      const { message, _tag, name } = error as { message?: unknown; _tag?: unknown; name?: unknown }
      if (typeof message === "string" && message !== "") return message
      if (typeof _tag === "string") return _tag
      if (error instanceof Error && typeof name === "string") return name
      return JSON.stringify(error) ?? "unknown failure"
    }
    return String(error)
  } catch {
    return "unknown failure"
  }
}
