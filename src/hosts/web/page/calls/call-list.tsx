/** All calls as a list, which can be filtered; each line opens its call. */
import { useMemo, useState } from "preact/hooks"
import type { CallRow, PageState } from "../../state/page-state.ts"
import { decider } from "../decisions.ts"
import type { Source } from "../source.ts"
import { argumentOf, visibleLine } from "../texts.tsx"
import { useSeconds } from "../use-seconds.ts"
import { stateOf, timeOf } from "./call-times.ts"
import { Filters } from "./filters.tsx"
import { type ListedCall, listCalls, noFilter } from "./listed.ts"

/** How many lines are drawn at first, and with each request for more. */
const step = 200
/** Deeper calls are indented like this depth. */
const maxDepth = 6

const Line = (props: {
  readonly listed: ListedCall
  readonly now: number
  readonly onOpen: (key: number) => void
}) => {
  const { call, depth } = props.listed
  const { key, name, agentId, background, status, decidedBy, parentId } = call
  const isOrphan = parentId !== undefined && depth === 0
  return (
    <li class={`is-${status}`}>
      <button type="button" class="call-line" onClick={() => props.onOpen(key)}>
        <span class="tool" style={{ paddingLeft: `${Math.min(depth, maxDepth) * 16}px` }}>
          <span class="dot" aria-hidden="true" />
          <b>
            {depth > 0 ? "↳ " : ""}
            {visibleLine(name)}
          </b>
        </span>
        <span class="argument">
          {visibleLine(argumentOf(call))}
          {isOrphan ? <span class="within"> ↳ in {visibleLine(parentId)}</span> : undefined}
        </span>
        <span class="agent">
          {visibleLine(agentId)}
          {background ? ", background" : ""}
        </span>
        <span class="state">{visibleLine(stateOf(call))}</span>
        <span class="time">{timeOf(call, props.now)}</span>
        <span class="decided">{decidedBy === undefined ? "" : visibleLine(decider(decidedBy))}</span>
      </button>
    </li>
  )
}

/** Moves the focus from line to line. */
const move = (event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void => {
  const lines = [...event.currentTarget.querySelectorAll<HTMLElement>(".call-line")]
  const at = lines.indexOf(document.activeElement as HTMLElement)
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: lines.length - 1 }[event.key]
  if (at < 0 || to === undefined) return
  event.preventDefault()
  lines[to]?.focus()
}

const namesIn = (calls: PageState["calls"], nameOf: (call: CallRow) => string): ReadonlySet<string> =>
  new Set([...calls.values()].map(nameOf))

/** The list of calls. */
export const CallList = (props: {
  readonly source: Source
  readonly state: PageState
  readonly onOpen: (key: number) => void
}) => {
  const { source, state, onOpen } = props
  const { calls } = state
  const [filter, setFilter] = useState(noFilter)
  const [max, setMax] = useState(step)
  const { shown, count } = useMemo(() => listCalls(calls.values(), filter, max), [calls, filter, max])
  const agents = useMemo(() => namesIn(calls, ({ agentId }) => agentId), [calls])
  const tools = useMemo(() => namesIn(calls, ({ name }) => name), [calls])
  const now = useSeconds(
    source,
    shown.some(({ call }) => call.endedAt === undefined),
  )
  const more = count - shown.length
  return (
    <section class="calls" aria-label="Calls">
      <header class="row">
        <h2>
          Calls <span class="count">{count === calls.size ? count : `${count} of ${calls.size}`}</span>
        </h2>
        <Filters filter={filter} agents={agents} tools={tools} set={setFilter} />
      </header>
      {calls.size === 0 ? <p class="none">No calls yet.</p> : undefined}
      {count === 0 && calls.size > 0 ? (
        <p class="none">
          No call is like that.{" "}
          <button type="button" onClick={() => setFilter(noFilter)}>
            Show all
          </button>
        </p>
      ) : undefined}
      <ol class="call-lines" onKeyDown={move}>
        {shown.map((listed) => (
          <Line key={listed.call.key} listed={listed} now={now} onOpen={onOpen} />
        ))}
      </ol>
      {more > 0 ? (
        <button type="button" class="more" onClick={() => setMax(max + step)}>
          Show {Math.min(step, more)} more of {more}
        </button>
      ) : undefined}
    </section>
  )
}
