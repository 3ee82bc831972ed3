/** A preview that a call has staged: what would change, to be applied or discarded. */
import type { ActionRow } from "../state/page-state.ts"
import { CardHead, type CardProps, opener } from "./card-head.tsx"
import { Diff, Said, visibleLine } from "./texts.tsx"
import { useAnswer } from "./use-answer.ts"
import { useRead } from "./use-read.ts"

/** One preview. */
export const PreviewCard = (
  props: CardProps & {
    readonly action: ActionRow
    /** The revision of the call that staged it. */
    readonly revision: number | undefined
    readonly isLatest: boolean
    /** Whether another process runs the calls: only what is stored is known then. */
    readonly isStore: boolean
  },
) => {
  const { source, action, revision, isLatest, isStore } = props
  const { actionId, agentId, label, sourceToolName, at, key, isSent } = action
  const version = key === undefined ? undefined : `${key} ${revision}`
  const detail = useRead(source, version, () => source.callDetail(key!))
  const { isBusy, send } = useAnswer(props)
  const resolve = (action: "apply" | "discard") => send("resolve", { actionId, action })
  const isBlocked = isBusy || !isLatest || (key !== undefined && detail === undefined)
  const isCut = detail?.isCut === true || (isStore && key === undefined)
  return (
    <li class="card is-preview" aria-label={`Preview: ${visibleLine(label)}`}>
      <CardHead name={sourceToolName} agentId={agentId} at={at} open={opener(props, key)}>
        <span class="badge">preview</span>
      </CardHead>
      <p class="label">{visibleLine(label)}</p>
      {detail?.diff === undefined ? undefined : <Diff text={detail.diff} />}
      {detail === undefined || detail.diff !== undefined ? undefined : <Said text={detail.content} />}
      {isCut ? <p class="warn">This cannot be shown whole, so it cannot be applied here.</p> : undefined}
      {isLatest ? undefined : <p class="none">Decide about the newer preview of this agent first.</p>}
      {isSent ? (
        <p class="note">
          Your decision is stored. It counts once a process that runs these calls has carried it out.
        </p>
      ) : (
        <div class="row">
          <button type="button" class="good" disabled={isBlocked || isCut} onClick={() => resolve("apply")}>
            Apply
          </button>
          <span class="grow" />
          <button type="button" disabled={isBlocked} onClick={() => resolve("discard")}>
            Discard
          </button>
        </div>
      )}
    </li>
  )
}
