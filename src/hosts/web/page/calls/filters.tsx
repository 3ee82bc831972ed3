/** The fields that filter the list of calls. */
import { visibleLine } from "../texts.tsx"
import { type CallFilter, states } from "./listed.ts"

/** Maximum number of names to choose from; any other can be typed. */
const maxNames = 200

const Choice = (props: {
  readonly label: string
  readonly any: string
  readonly value: string
  readonly values: Iterable<string>
  readonly set: (value: string) => void
}) => (
  <select
    aria-label={props.label}
    value={props.value}
    onChange={({ currentTarget }) => props.set(currentTarget.value)}
  >
    <option value="">{props.any}</option>
    {[...props.values].slice(0, maxNames).map((value) => (
      <option key={value} value={value}>
        {visibleLine(value)}
      </option>
    ))}
  </select>
)

/** Reports each change of the filter. */
export const Filters = (props: {
  readonly filter: CallFilter
  readonly agents: ReadonlySet<string>
  readonly tools: ReadonlySet<string>
  readonly set: (filter: CallFilter) => void
}) => {
  const { filter, agents, tools } = props
  const set = (part: Partial<CallFilter>) => props.set({ ...filter, ...part })
  return (
    <search class="filters">
      <input
        type="search"
        aria-label="Text"
        placeholder="Filter"
        value={filter.text}
        onInput={({ currentTarget }) => set({ text: currentTarget.value })}
      />
      <Choice
        label="State"
        any="any state"
        value={filter.state}
        values={states.keys()}
        set={(state) => set({ state })}
      />
      <Choice label="Tool" any="any tool" value={filter.tool} values={tools} set={(tool) => set({ tool })} />
      <Choice
        label="Agent"
        any="any agent"
        value={filter.agent}
        values={agents}
        set={(agent) => set({ agent })}
      />
    </search>
  )
}
