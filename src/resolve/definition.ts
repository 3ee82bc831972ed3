/** The hidden tool `resolve` as the model sees it. */
import type { JsonSchema } from "../schema/json-schema.ts"

/**
 * The parameters of `resolve`. `extra` is handed to whoever applies or discards the action. `actionId` is for hosts whose person
 * has decided about one preview: where that is not the latest any more, nothing is resolved.
 */
export interface ResolveParams {
  readonly action: "apply" | "discard"
  readonly reason: string
  readonly extra?: Readonly<Record<string, unknown>>
  readonly actionId?: string
}

/** The name of the tool that resolves previews. No other tool may have it. */
export const resolveName = "resolve"

/** What the model is told of `resolve`. */
export const resolveDescription = [
  "Finalizes the pending preview: applies it or discards it.",
  "Call it after a tool showed changes that are not made yet. The latest preview is resolved first.",
].join(" ")

/** The schema of `ResolveParams`. */
export const resolveParameters: JsonSchema = {
  type: "object",
  properties: {
    action: {
      type: "string",
      enum: ["apply", "discard"],
      description: '"apply" makes the previewed changes, "discard" drops them.',
    },
    reason: { type: "string", description: "Why, in one sentence." },
    extra: {
      type: "object",
      description: "Further data for whoever applies the action, such as a title.",
      additionalProperties: true,
    },
  },
  required: ["action", "reason"],
}
