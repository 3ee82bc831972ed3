/** What a call of `resolve` gives: its texts, and the details that hosts draw it from. */
import { type ToolOutput, textOutput } from "../output/output.ts"
import type { ResolveParams } from "./definition.ts"

export const nothingPending = "No pending action to resolve. Nothing to apply or discard."

/** Of a `resolve` that names a preview which is over, or which another one came after. */
export const notTheLatest = (actionId: string): string =>
  `The preview ${actionId} is not the latest that waits. Nothing was applied or discarded.`

/** What was resolved: a pending action, or what a standing handler says of itself. */
export interface ResolveSource {
  readonly label?: string | undefined
  readonly sourceToolName?: string | undefined
}

/** Says what was done, for an action that has nothing to say. */
export const defaultOutput = ({ action, reason }: ResolveParams, label: string): ToolOutput =>
  textOutput(`${action === "apply" ? "Applied" : "Discarded"}: ${label}. Reason: ${reason}`)

/** Words a failure of apply that was `thrown` without being meant for the model; all others pass as they are. */
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
