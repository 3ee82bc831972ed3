/** A call on one line, only from its parameters: its tool, which has a better title, is in another process. */
import type { HostEffect } from "../../../model/host-effect.ts"
import { boundedTitle } from "./bounded.ts"

/** An effect as a call: its tag, and its other properties. */
export const effectParts = ({ _tag: name, ...params }: HostEffect) => ({ name, params })

/** Returns the title; the name of the call if no parameter is a text. */
export const plainTitle = ({
  name,
  params,
}: {
  readonly name: string
  readonly params?: unknown
}): string => {
  const values = typeof params === "object" && params !== null ? Object.values(params) : []
  const text = values.find((value): value is string => typeof value === "string" && value.trim() !== "")
  return boundedTitle(text === undefined ? name : (text.trim().split("\n", 1)[0] ?? name))
}
