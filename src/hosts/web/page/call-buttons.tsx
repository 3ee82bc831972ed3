/** What can be asked of a call besides an answer. */
import type { CallRow } from "../state/page-state.ts"
import type { Source } from "./source.ts"

/** The buttons for a call that has not ended, and for a result that is kept. */
export const CallButtons = (props: {
  readonly source: Source
  readonly call: CallRow
  readonly say: (text: string) => void
}) => {
  const { source, call, say } = props
  const { key, background, kept, endedAt, startedAt } = call
  const isOff = source.connection !== "live"
  const act = async (action: "cancel" | "background" | "take") => {
    try {
      const { message } = await source.ask("task", { key, action })
      say(message ?? "")
    } catch (error) {
      say((error as Error).message)
    }
  }
  if (endedAt !== undefined) {
    if (kept !== true) return undefined
    return (
      <button type="button" disabled={isOff} onClick={() => act("take")}>
        Take
      </button>
    )
  }
  return (
    <>
      {background || startedAt === undefined || source.state.info.isStore ? undefined : (
        <button type="button" disabled={isOff} onClick={() => act("background")}>
          Background
        </button>
      )}
      <button type="button" disabled={isOff} onClick={() => act("cancel")}>
        Cancel
      </button>
    </>
  )
}
