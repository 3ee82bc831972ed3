/** A form for the reason of a refusal, which the model reads. */
import { useLayoutEffect, useRef } from "preact/hooks"

/** `action`: the text of the button. */
export const ReasonForm = (props: {
  readonly action: string
  /** Whether nothing can be sent now. */
  readonly isOff: boolean
  readonly submit: (reason: string) => void
  readonly back: () => void
}) => {
  const input = useRef<HTMLInputElement>(null)
  // Before anything else is drawn, so that immediate typing goes here.
  useLayoutEffect(() => input.current?.focus(), [])
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault()
        props.submit(input.current?.value ?? "")
      }}
    >
      <label class="grow">
        <span class="hidden">Reason, told to the model</span>
        <input ref={input} type="text" placeholder="Reason, told to the model (optional)" />
      </label>
      <button type="submit" class="bad" disabled={props.isOff}>
        {props.action}
      </button>
      <button type="button" onClick={props.back}>
        Back
      </button>
    </form>
  )
}
