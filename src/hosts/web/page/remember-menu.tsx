/** What can be remembered at a gate, each with the rules that it adds. */
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import type { RememberDetail } from "../state/detail.ts"
import { visibleLine } from "./texts.tsx"

const whats: Readonly<Record<RememberDetail["choice"], (toolName: string) => string>> = {
  call: () => "This very call, and no other",
  command: () => "Each of its commands, also alone",
  tool: (toolName) => `Every call of ${toolName} that no deny rule stops`,
}

/** Approves and remembers. */
export const RememberMenu = (props: {
  readonly toolName: string
  readonly options: ReadonlyArray<RememberDetail>
  readonly pattern: string
  readonly choose: (remember: string | { readonly rule: string }) => void
  readonly back: () => void
}) => {
  const { toolName, options, choose, back } = props
  const first = useRef<HTMLButtonElement>(null)
  const [rule, setRule] = useState(props.pattern)
  useLayoutEffect(() => first.current?.focus(), [])
  return (
    <div class="remember">
      <p class="label">Approve this call, and from now on without asking:</p>
      {options.map(({ choice, rules }, index) => (
        <button
          type="button"
          class="choice"
          key={choice}
          ref={index === 0 ? first : undefined}
          onClick={() => choose(choice)}
        >
          <b>{whats[choice](visibleLine(toolName))}</b>
          {rules.map((each) => (
            <code key={each}>{visibleLine(each)}</code>
          ))}
        </button>
      ))}
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
            value={rule}
            onInput={({ currentTarget }) => setRule(currentTarget.value)}
          />
        </label>
        <button type="submit">Use this pattern</button>
        <button type="button" onClick={back}>
          Back
        </button>
      </form>
    </div>
  )
}
