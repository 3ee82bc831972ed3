/** Who answers the questions of a command. */
import { userInfo } from "node:os"
import { UsageError } from "./usage-error.ts"

export interface PersonOptions {
  /** Who answers. Default: the login name. */
  readonly as?: string
}

/** The given name, else the login name; undefined if there is none. Throws a UsageError for an empty name. */
export const personOf = (name: string | undefined): string | undefined => {
  if (name?.trim() === "") throw new UsageError("--as: give the name of who answers")
  if (name !== undefined) return name
  try {
    return userInfo().username || undefined
  } catch {
    return undefined
  }
}

/** The person's name, for a page that only this person can open. Throws a UsageError for an empty name. */
export const whoOf = (name: string | undefined): (() => string | undefined) => {
  const by = personOf(name)
  return () => by
}
