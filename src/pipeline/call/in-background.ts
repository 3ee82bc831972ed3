/** Whether a call runs in the background: on its own, or within an outer call that does. */
import type { ToolCall } from "../../model/call.ts"

/** The data of a call that determines where it runs. */
export interface PlacedCall {
  readonly toolCall: ToolCall
  readonly to: { readonly outer?: PlacedCall | undefined }
}

/** True also for a nested call whose outer call is a background task. */
export const isInBackground = ({ toolCall, to }: PlacedCall): boolean =>
  toolCall.background || (to.outer !== undefined && isInBackground(to.outer))
