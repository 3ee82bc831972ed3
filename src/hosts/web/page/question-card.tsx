/** A question: what would run, and the ways to answer. It can be approved only once its text is shown. */
import { useRef, useState } from "preact/hooks"
import type { QuestionDetail } from "../state/detail.ts"
import type { QuestionRow } from "../state/page-state.ts"
import { AnswerStored, CardHead, type CardProps, opener } from "./card-head.tsx"
import { ParamsForm } from "./params-form.tsx"
import { ReasonForm } from "./reason-form.tsx"
import { RememberMenu } from "./remember-menu.tsx"
import { Diff, Params, Preview, visibleLine } from "./texts.tsx"
import { clock } from "./times.ts"
import { useAnswer } from "./use-answer.ts"
import { useRead } from "./use-read.ts"

type Mode = "ask" | "edit" | "deny" | "remember"

/** The whole text of a question. */
const Asked = ({
  detail,
  label,
}: {
  readonly detail: QuestionDetail
  readonly label: string | undefined
}) => (
  <>
    {label === undefined ? undefined : <p class="label">{visibleLine(label)}</p>}
    <Params json={detail.params} folded={detail.told} />
    {detail.preview === undefined ? undefined : <Preview text={detail.preview} />}
    {detail.diff === undefined ? undefined : <Diff text={detail.diff} />}
    {detail.because === undefined ? undefined : <p class="because">{visibleLine(detail.because)}</p>}
  </>
)

const Countdown = ({ until, now }: { readonly until: number; readonly now: number }) => {
  const left = (until - now) / 1000
  return (
    <span class={left < 30 ? "deadline is-near" : "deadline"} role="timer" aria-label="Time left to answer">
      {clock(left)} left
    </span>
  )
}

/** Whether a question of several is chosen, to be answered together with others. */
export interface Choice {
  readonly isChosen: boolean
  readonly choose: (isChosen: boolean) => void
}

/** One open question. */
export const QuestionCard = (
  props: CardProps & {
    readonly question: QuestionRow
    readonly now: number
    readonly choice: Choice | undefined
  },
) => {
  const { source, question, now, choice } = props
  const { id, name, agentId, title, label, askedAt, expiresAt, key, isSent } = question
  const detail = useRead(source, id, () => source.questionDetail(id))
  const [mode, setMode] = useState<Mode>("ask")
  const card = useRef<HTMLLIElement>(null)
  /** Returns the focus to where a keyboard user came from. */
  const back = () => {
    setMode("ask")
    requestAnimationFrame(() => card.current?.querySelector<HTMLElement>(`[data-mode=${mode}]`)?.focus())
  }
  const { isBusy, send } = useAnswer(props)
  const answer = (body: object) => send("answer", { ids: [id], ...body })
  const approve = (options: object = {}) => answer({ verdict: "approve", ...options })
  const isBlocked = isBusy || detail === undefined || detail.isCut
  return (
    <li
      ref={card}
      class="card"
      aria-label={`${name}: ${visibleLine(title)}`}
      onKeyDown={({ key }) => key === "Escape" && mode !== "ask" && back()}
    >
      <CardHead
        name={name}
        agentId={agentId}
        parentId={question.parentId}
        at={askedAt}
        open={opener(props, key)}
      >
        {expiresAt === undefined ? undefined : <Countdown until={expiresAt} now={now} />}
      </CardHead>
      {detail === undefined ? <p class="none">Loading…</p> : <Asked detail={detail} label={label} />}
      {question.people === undefined ? undefined : (
        <p class="because">Approvals: {visibleLine(question.people)}</p>
      )}
      {detail?.isCut ? (
        <p class="warn">This is too long to be shown whole, so it cannot be approved here.</p>
      ) : undefined}
      {isSent ? <AnswerStored /> : undefined}
      {choice === undefined || isSent ? undefined : (
        <label class="choice">
          <input
            type="checkbox"
            checked={choice.isChosen}
            disabled={isBlocked}
            onChange={({ currentTarget }) => choice.choose(currentTarget.checked)}
          />{" "}
          Choose, to answer several at once
        </label>
      )}
      {mode === "ask" && !isSent ? (
        <div class="row">
          <button type="button" class="good" disabled={isBlocked} onClick={() => approve()}>
            Approve
          </button>
          <button
            type="button"
            data-mode="edit"
            disabled={isBlocked || !detail?.mayEdit}
            onClick={() => setMode("edit")}
          >
            Edit…
          </button>
          <button
            type="button"
            data-mode="remember"
            disabled={isBlocked || !detail?.remember.length}
            onClick={() => setMode("remember")}
          >
            Always…
          </button>
          <span class="grow" />
          {/* Until it is loaded, the buttons can still move: a click would be lost. */}
          <button
            type="button"
            data-mode="deny"
            disabled={isBusy || detail === undefined}
            onClick={() => setMode("deny")}
          >
            Deny…
          </button>
        </div>
      ) : undefined}
      {mode === "ask" && !isSent && detail?.whyAsked ? (
        <p class="because">There is no “Always…”: {detail.whyAsked}</p>
      ) : undefined}
      {mode === "deny" && !isSent ? (
        <ReasonForm
          action="Deny"
          isOff={isBusy}
          submit={(reason) => answer({ verdict: "deny", reason })}
          back={back}
        />
      ) : undefined}
      {mode === "remember" && !isSent ? (
        <RememberMenu
          options={detail!.remember}
          pattern={detail!.pattern}
          isOff={isBusy}
          choose={(remember) => approve({ remember })}
          back={back}
        />
      ) : undefined}
      {mode === "edit" && !isSent ? (
        <ParamsForm
          schema={detail!.schema}
          json={detail!.params}
          action="Approve with these"
          isOff={isBusy}
          submit={(params) => approve({ params })}
          back={back}
        />
      ) : undefined}
    </li>
  )
}
