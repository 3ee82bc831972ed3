/** The background tasks, and the foreground calls that run. */
import { useState } from "preact/hooks"
import type { CallRow, PageState } from "../state/page-state.ts"
import type { Source } from "./source.ts"
import { Output, visibleLine } from "./texts.tsx"
import { duration, timeOfDay } from "./times.ts"

const maxListed = 50

const isOver = ({ endedAt }: CallRow): boolean => endedAt !== undefined

/** The buttons for a call that has not ended, and for a result that is kept. */
export const TaskButtons = (props: {
  readonly source: Source
  readonly call: CallRow
  readonly say: (text: string) => void
  readonly onTaken?: (content: string) => void
}) => {
  const { source, call, say, onTaken } = props
  const { key, background, kept } = call
  const act = async (action: "cancel" | "background" | "take") => {
    try {
      const { took, message, content } = await source.ask("task", { key, action })
      say(message ?? "")
      if (took && content !== undefined) onTaken?.(content)
    } catch (error) {
      say((error as Error).message)
    }
  }
  if (isOver(call)) {
    if (kept !== true) return undefined
    return (
      <button type="button" onClick={() => act("take")}>
        Take
      </button>
    )
  }
  return (
    <>
      {background || call.startedAt === undefined || source.state.info.isStore ? undefined : (
        <button type="button" onClick={() => act("background")}>
          Background
        </button>
      )}
      <button type="button" onClick={() => act("cancel")}>
        Cancel
      </button>
    </>
  )
}

const when = ({ startedAt, endedAt, queuedAt }: CallRow): string =>
  endedAt === undefined
    ? `since ${timeOfDay(startedAt ?? queuedAt)}`
    : duration(endedAt - (startedAt ?? endedAt))

const TaskItem = (props: {
  readonly source: Source
  readonly call: CallRow
  readonly onOpen: (key: number) => void
  readonly say: (text: string) => void
}) => {
  const { call, onOpen } = props
  const [content, setContent] = useState<string | undefined>()
  return (
    <li class={`task is-${call.status}`}>
      <div class="row">
        <span class="dot" aria-hidden="true" />
        <button type="button" class="link grow" onClick={() => onOpen(call.key)}>
          <b>{visibleLine(call.name)}</b>{" "}
          {call.title === call.name ? undefined : <span class="title">{visibleLine(call.title)}</span>}
        </button>
        <span class="status">{call.status}</span>
        <span class="when">{when(call)}</span>
        <span class="actions">
          <TaskButtons {...props} onTaken={setContent} />
        </span>
      </div>
      {content === undefined ? undefined : <Output text={content} />}
    </li>
  )
}

const Group = (props: {
  readonly title: string
  readonly calls: ReadonlyArray<CallRow>
  readonly source: Source
  readonly onOpen: (key: number) => void
  readonly say: (text: string) => void
}) =>
  props.calls.length === 0 ? undefined : (
    <>
      <h3>{props.title}</h3>
      <ul>
        {props.calls.slice(0, maxListed).map((call) => (
          <TaskItem key={call.key} call={call} source={props.source} onOpen={props.onOpen} say={props.say} />
        ))}
      </ul>
      {props.calls.length > maxListed ? (
        <p class="none">and {props.calls.length - maxListed} more</p>
      ) : undefined}
    </>
  )

/** Background tasks by status, and the foreground calls that run. */
export const Tasks = (props: {
  readonly source: Source
  readonly state: PageState
  readonly onOpen: (key: number) => void
}) => {
  const { source, state, onOpen } = props
  const [said, setSaid] = useState("")
  const calls = [...state.calls.values()]
  const active = calls.filter((call) => !isOver(call))
  const tasks = calls.filter((call) => call.background && isOver(call))
  const group = { source, onOpen, say: setSaid }
  const waits = ({ status }: CallRow): boolean => ["waiting", "held", "limited"].includes(status)
  return (
    <section class="tasks" aria-label="Tasks">
      <h2>
        Tasks <span class="count">{active.length}</span>
      </h2>
      <p class="note" role="status">
        {said}
      </p>
      {active.length + tasks.length === 0 ? <p class="none">Nothing runs.</p> : undefined}
      <Group {...group} title="Running" calls={active.filter(({ status }) => status === "running")} />
      <Group {...group} title="Waiting" calls={active.filter(waits)} />
      <Group {...group} title="Queued" calls={active.filter(({ status }) => status === "queued")} />
      <Group {...group} title="Finished in the background" calls={tasks.reverse()} />
    </section>
  )
}
