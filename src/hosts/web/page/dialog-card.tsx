/** A tool's question to its user: to confirm, to choose, or to type something. */
import { useState } from "preact/hooks"
import type { DialogRow } from "../state/page-state.ts"
import { type CardProps, opener } from "./card-head.tsx"
import { Sentences, visibleLine, visibleSentence } from "./texts.tsx"
import { timeOfDay } from "./times.ts"
import { useAnswer } from "./use-answer.ts"

type Answer = (value: unknown) => void

interface WaysProps {
  readonly dialog: DialogRow
  readonly answer: Answer
  readonly isBusy: boolean
}

/** Dismisses the question. */
const Dismiss = ({ answer, isBusy }: WaysProps) => (
  <button type="button" disabled={isBusy} onClick={() => answer(undefined)}>
    Dismiss
  </button>
)

const Typed = (props: WaysProps) => {
  const { dialog, answer, isBusy } = props
  const { kind, text = "", placeholder, title } = dialog
  const [typed, setTyped] = useState(text)
  const field = { value: typed, placeholder, "aria-label": visibleSentence(title) }
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault()
        answer(typed)
      }}
    >
      {kind === "editor" ? (
        <textarea
          {...field}
          class="code"
          rows={8}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        />
      ) : (
        <span class="grow">
          <input {...field} type="text" onInput={({ currentTarget }) => setTyped(currentTarget.value)} />
        </span>
      )}
      <button type="submit" class="good" disabled={isBusy}>
        Answer
      </button>
      {kind === "editor" ? <span class="grow" /> : undefined}
      <Dismiss {...props} />
    </form>
  )
}

const Ways = (props: WaysProps) => {
  const { dialog, answer, isBusy } = props
  const { kind, options = [] } = dialog
  if (kind === "confirm") {
    return (
      <div class="row">
        <button type="button" class="good" disabled={isBusy} onClick={() => answer(true)}>
          Yes
        </button>
        <button type="button" disabled={isBusy} onClick={() => answer(false)}>
          No
        </button>
        <span class="grow" />
        <Dismiss {...props} />
      </div>
    )
  }
  if (kind !== "select") return <Typed {...props} />
  return (
    <div class="remember">
      {options.map((option, index) => (
        <button type="button" class="choice" key={index} disabled={isBusy} onClick={() => answer(index)}>
          {visibleSentence(option)}
        </button>
      ))}
      <div class="row">
        <span class="grow" />
        <Dismiss {...props} />
      </div>
    </div>
  )
}

/** One question of a tool. */
export const DialogCard = (props: CardProps & { readonly dialog: DialogRow }) => {
  const { dialog } = props
  const { id, key, name, title, message, at, isCut } = dialog
  const { isBusy, send } = useAnswer(props)
  const open = opener(props, key)
  const answer = (value: unknown) => send("dialog", { id, value })
  const ways = { dialog, answer, isBusy }
  return (
    <li class="card is-dialog" aria-label={`Question: ${visibleSentence(title)}`}>
      <header>
        {open === undefined || name === undefined ? (
          <b>{name === undefined ? "A tool asks" : `${visibleLine(name)} asks`}</b>
        ) : (
          <button type="button" class="link" onClick={open}>
            <b>{visibleLine(name)}</b> asks
          </button>
        )}
        <time>{timeOfDay(at)}</time>
        <span class="badge">question</span>
      </header>
      <Sentences text={title} />
      {message === undefined ? undefined : <Sentences text={message} />}
      {isCut ? (
        <>
          <p class="warn">This is too long to be shown whole, so it can only be turned down here.</p>
          <div class="row">
            <span class="grow" />
            <Dismiss {...ways} />
          </div>
        </>
      ) : (
        <Ways {...ways} />
      )}
    </li>
  )
}
