/** An effect that no host has carried out: a person can carry it out, and answer with a value, or refuse it. */
import { useState } from "preact/hooks"
import type { QuestionRow } from "../state/page-state.ts"
import { AnswerStored, CardHead, type CardProps, opener } from "./card-head.tsx"
import { ReasonForm } from "./reason-form.tsx"
import { Params, visibleLine } from "./texts.tsx"
import { useAnswer } from "./use-answer.ts"
import { useRead } from "./use-read.ts"

/** Throws a SyntaxError for a text that is not JSON. */
const valueIn = (typed: string): object =>
  typed.trim() === "" ? {} : { value: JSON.parse(typed) as unknown }

const ValueForm = (props: {
  /** Until the card is loaded, the buttons can still move. */
  readonly isLoaded: boolean
  readonly isBlocked: boolean
  readonly submit: (value: object) => void
  readonly refuse: () => void
}) => {
  const [typed, setTyped] = useState("")
  const [problem, setProblem] = useState("")
  const submit = () => {
    try {
      props.submit(valueIn(typed))
      setProblem("")
    } catch {
      setProblem("That is not JSON: put texts in quotes.")
    }
  }
  return (
    <form
      class="params-form"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <label>
        <span class="hidden">What it gives, as JSON</span>
        <textarea
          class="code"
          rows={Math.min(16, Math.max(2, typed.split("\n").length))}
          spellcheck={false}
          placeholder="What it gives, as JSON (optional)"
          value={typed}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        />
      </label>
      {problem === "" ? undefined : (
        <p class="warn" role="alert">
          {problem}
        </p>
      )}
      <div class="row">
        <button type="submit" class="good" disabled={props.isBlocked}>
          Answer
        </button>
        <span class="grow" />
        <button type="button" disabled={!props.isLoaded} onClick={props.refuse}>
          Refuse…
        </button>
      </div>
    </form>
  )
}

/** One effect. */
export const EffectCard = (props: CardProps & { readonly question: QuestionRow }) => {
  const { id, name, agentId, title, effect = "", askedAt, key, isSent } = props.question
  const detail = useRead(props.source, id, () => props.source.questionDetail(id))
  const [refuses, setRefuses] = useState(false)
  const { isBusy, send } = useAnswer(props)
  const respond = (answer: object) => send("answer", { ids: [id], verdict: "respond", ...answer })
  return (
    <li class="card is-effect" aria-label={`${effect} of ${name}: ${visibleLine(title)}`}>
      <CardHead
        name={name}
        agentId={agentId}
        parentId={props.question.parentId}
        at={askedAt}
        open={opener(props, key)}
      >
        <span class="badge">effect</span>
      </CardHead>
      <p class="label">
        Its host is to carry out <code>{visibleLine(effect)}</code>:
      </p>
      {detail === undefined ? <p class="none">Loading…</p> : <Params json={detail.params} />}
      {detail?.isCut ? (
        <p class="warn">This is too long to be shown whole, so it can only be refused here.</p>
      ) : undefined}
      {isSent ? <AnswerStored /> : undefined}
      {isSent || refuses ? undefined : (
        <ValueForm
          isLoaded={detail !== undefined}
          isBlocked={isBusy || detail === undefined || detail.isCut}
          submit={respond}
          refuse={() => setRefuses(true)}
        />
      )}
      {refuses && !isSent ? (
        <ReasonForm
          action="Refuse"
          isOff={isBusy}
          submit={(reason) => respond({ error: reason.trim() === "" ? "Refused by the user" : reason })}
          back={() => setRefuses(false)}
        />
      ) : undefined}
    </li>
  )
}
