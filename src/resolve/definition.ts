/** The hidden tool `resolve`, as the model sees it. */
import type { JsonSchema } from "../schema/json-schema.ts"

/**
 * The parameters of `resolve`. `extra` is passed to the handler that applies or discards the action. `actionId` is for hosts in
 * which a person decides on one preview: if it is not the latest one, no action is resolved.
 */
export interface ResolveParams {
  readonly action: "apply" | "discard"
  readonly reason: string
  readonly extra?: Readonly<Record<string, unknown>>
  readonly actionId?: string
}

/** The name of the tool that resolves previews. No other tool may have it. */
export const resolveName = "resolve"

/** The description of `resolve` for the model. */
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
