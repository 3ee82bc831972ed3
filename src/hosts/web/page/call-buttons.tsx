/** The actions on a call other than answers. */
import type { CallDetail } from "../state/detail.ts"
import type { CallRow } from "../state/page-state.ts"
import type { Source } from "./source.ts"

/** The buttons for a call that has not ended, and for the changes and the result of one that has. */
export const CallButtons = (props: {
  readonly source: Source
  readonly call: CallRow
  readonly detail: CallDetail | undefined
  readonly say: (text: string) => void
}) => {
  const { source, call, detail, say } = props
  const { key, background, kept, endedAt, startedAt, status } = call
  const { isStore } = source.state.info
  // A store does not say what its calls have changed: whoever runs them is asked.
  const mayUndo =
    isStore === true
      ? startedAt !== undefined && status !== "denied" && call.name !== "resolve"
      : detail?.changed !== undefined && detail.changed.undoneBy === undefined
  const isOff = source.connection !== "live"
  const act = async (action: "cancel" | "background" | "take" | "undo") => {
    try {
      const { message } = await source.ask("task", { key, action })
      say(message ?? "")
    } catch (error) {
      say((error as Error).message)
    }
  }
  if (endedAt !== undefined) {
    return (
      <>
        {mayUndo ? (
          <button type="button" disabled={isOff} onClick={() => act("undo")}>
            Undo…
          </button>
        ) : undefined}
        {kept ? (
          <button type="button" disabled={isOff} onClick={() => act("take")}>
            Take
          </button>
        ) : undefined}
      </>
    )
  }
  return (
    <>
      {background || startedAt === undefined || isStore ? undefined : (
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
