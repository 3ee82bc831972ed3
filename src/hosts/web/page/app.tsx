/** The whole page: the timeline, the calls, the inbox, and the open call. */
import { useEffect, useState } from "preact/hooks"
import { CallPanel } from "./call-panel.tsx"
import { Caller } from "./caller.tsx"
import { CallList } from "./calls/call-list.tsx"
import { Inbox } from "./inbox.tsx"
import { type Connection, type Source, useSource } from "./source.ts"
import { visibleLine } from "./texts.tsx"
import { Timeline } from "./timeline/timeline.tsx"

type View = "timeline" | "calls" | "inbox"

const said: Readonly<Record<Connection, string>> = {
  connecting: "Connecting…",
  live: "Live",
  lost: "Connection lost, trying again…",
  refused: "No access",
  ended: "Ended",
  written: "Written down",
}

const Refused = () => (
  <main class="refused">
    <h1>This browser has no access</h1>
    <p>
      Open the address that the command told, with all that stands behind its “#”. Each start makes a new one.
      A page of another site opens once you are signed in there.
    </p>
  </main>
)

const Tab = (props: {
  readonly view: View
  readonly current: View
  readonly count?: number
  readonly label: string
  readonly go: (view: View) => void
}) => (
  <button
    type="button"
    class="tab"
    aria-current={props.current === props.view ? "page" : undefined}
    onClick={() => props.go(props.view)}
  >
    {props.label} {props.count ? <span class="count">{props.count}</span> : undefined}
  </button>
)

/** Shows the state of a source. */
export const App = ({ source }: { readonly source: Source }) => {
  const state = useSource(source)
  const [view, setView] = useState<View>("timeline")
  const [open, setOpen] = useState<number | undefined>()
  const { connection } = source
  const asked = state.questions.size + state.actions.size + state.dialogs.size
  const active = [...state.calls.values()].filter(({ endedAt }) => endedAt === undefined).length
  useEffect(() => {
    const { title } = state.info
    document.title = asked === 0 ? title : `(${asked}) ${title}`
  }, [asked, state.info])
  if (connection === "refused") return <Refused />
  const isWritten = connection === "written"
  return (
    <div class={`app show-${view} ${open === undefined ? "" : "has-open"} ${isWritten ? "is-written" : ""}`}>
      <header class="top">
        <h1>
          <span class="mark" aria-hidden="true" />
          <span class="title-of">{visibleLine(state.info.title)}</span>
        </h1>
        <p class={`connection is-${connection}`} role="status">
          {said[connection]}
        </p>
        {state.info.isStore ? <p class="of-store">run by another process</p> : undefined}
        {state.info.calls ? <Caller source={source} /> : undefined}
      </header>
      <p class="trouble" role="alert">
        {state.trouble === undefined ? undefined : visibleLine(state.trouble)}
      </p>
      <main>
        <Timeline source={source} state={state} open={open} onOpen={setOpen} />
        <CallList source={source} state={state} onOpen={setOpen} />
        {open === undefined ? undefined : (
          <CallPanel
            key={open}
            source={source}
            row={state.calls.get(open)}
            onClose={() => setOpen(undefined)}
          />
        )}
        {isWritten ? undefined : <Inbox source={source} state={state} onOpen={setOpen} />}
      </main>
      {isWritten ? undefined : (
        <nav class="tabs" aria-label="Views">
          <Tab view="timeline" label="Timeline" current={view} go={setView} />
          <Tab view="calls" label="Calls" count={active} current={view} go={setView} />
          <Tab view="inbox" label="Inbox" count={asked} current={view} go={setView} />
        </nav>
      )}
    </div>
  )
}
