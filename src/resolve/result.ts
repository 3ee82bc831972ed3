/** The results of `resolve`: their texts, and the details that hosts use to draw them. */
import { type ToolOutput, textOutput } from "../output/output.ts"
import type { ResolveParams } from "./definition.ts"

export const nothingPending = "No pending action to resolve. Nothing to apply or discard."

/** The message for a call of `resolve` whose `actionId` is not the latest preview. */
export const notTheLatest = (actionId: string): string =>
  `The preview ${actionId} is not the latest that waits. Nothing was applied or discarded.`

/** The source of the resolved result: a pending action, or a standing handler. */
export interface ResolveSource {
  readonly label?: string | undefined
  readonly sourceToolName?: string | undefined
}

/** The output for an action that returns none. */
export const defaultOutput = ({ action, reason }: ResolveParams, label: string): ToolOutput =>
  textOutput(`${action === "apply" ? "Applied" : "Discarded"}: ${label}. Reason: ${reason}`)

/** Marks an error that `apply` has thrown; a message meant for the model passes unchanged. */
export const failureText = ({ action }: ResolveParams, message: string, thrown: boolean): string =>
  thrown && action === "apply" ? `Apply failed: ${message}` : message

export const withDetails = (output: ToolOutput, params: ResolveParams, source: ResolveSource): ToolOutput => {
  const { action, reason, extra } = params
  const { label, sourceToolName } = source
  const details = {
    action,
    reason,
    ...(isGiven(extra) && { extra }),
    ...(sourceToolName !== undefined && { sourceToolName }),
    ...(label !== undefined && { label }),
    ...(isGiven(output.details) && { sourceResultDetails: output.details }),
  }
  return { ...output, details }
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null
