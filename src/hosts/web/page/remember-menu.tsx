/** The choices to remember at a gate, each with the rules that it adds. */
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import type { RememberDetail } from "../state/detail.ts"
import { visibleLine } from "./texts.tsx"

const capitalised = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)

/** The menu; a choice approves and remembers. */
export const RememberMenu = (props: {
  readonly options: ReadonlyArray<RememberDetail>
  readonly pattern: string
  /** Whether nothing can be sent now. */
  readonly isOff: boolean
  readonly choose: (remember: string | { readonly rule: string }) => void
  readonly back: () => void
}) => {
  const { options, choose, back } = props
  const first = useRef<HTMLButtonElement>(null)
  const [rule, setRule] = useState(props.pattern)
  useLayoutEffect(() => first.current?.focus(), [])
  const isUnknown = options.every(({ rules }) => rules.length === 0)
  return (
    <div class="remember">
      <p class="label">Approve this call, and from now on without asking:</p>
      {options.map(({ choice, what, rules }, index) => (
        <button
          type="button"
          class="choice"
          disabled={props.isOff}
          key={choice}
          ref={index === 0 ? first : undefined}
          onClick={() => choose(choice)}
        >
          <b>{capitalised(visibleLine(what))}</b>
          {rules.map((each) => (
            <code key={each}>{visibleLine(each)}</code>
          ))}
        </button>
      ))}
      {isUnknown ? (
        <p class="because">The process that runs the call makes the rule of it. It cannot be shown here.</p>
      ) : undefined}
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault()
          choose({ rule })
        }}
      >
        <label class="grow">
          <span class="hidden">A pattern of your own</span>
          <input
            type="text"
            class="code"
            placeholder="A pattern of your own"
            required
            value={rule}
            onInput={({ currentTarget }) => setRule(currentTarget.value)}
          />
        </label>
        <button type="submit" disabled={props.isOff}>
          Use this pattern
        </button>
        <button type="button" onClick={back}>
          Back
        </button>
      </form>
    </div>
  )
}
