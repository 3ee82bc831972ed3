/** The timeline: lanes and background as rows, calls as bars, which can be zoomed and opened. */
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import type { CallRow, PageState } from "../../state/page-state.ts"
import { stateOf, timeOf } from "../calls/call-times.ts"
import { decider } from "../decisions.ts"
import type { Source } from "../source.ts"
import { visibleLine } from "../texts.tsx"
import { useSeconds } from "../use-seconds.ts"
import { type Mode, TimelineCanvas } from "./canvas.ts"
import type { LaneRow } from "./layout.ts"
import { trackHeight } from "./paint.ts"

interface Point {
  readonly key: number
  readonly x: number
  readonly y: number
}

/** A call as one line of text. */
const described = (call: CallRow, now: number): string => {
  const { name, title, parentId } = call
  const within = parentId === undefined ? "" : `in ${parentId}`
  return [name, title === name ? "" : title, within, stateOf(call), timeOf(call, now)]
    .filter((part) => part !== "")
    .map(visibleLine)
    .join(", ")
}

/** Follows its call, until the pointer leaves it. */
const Tip = (props: { readonly source: Source; readonly point: Point }) => {
  const { source, point } = props
  const call = source.state.calls.get(point.key)
  const now = useSeconds(source, call !== undefined && call.endedAt === undefined)
  if (call === undefined) return undefined
  const { name, title, decidedBy } = call
  const left = `min(${point.x + 12}px, 100% - 200px)`
  return (
    <div class="tip" aria-hidden="true" style={{ left, top: `${point.y + 16}px` }}>
      <b>{visibleLine(name)}</b> {title === name ? undefined : visibleLine(title)}
      <span>
        {visibleLine(stateOf(call))}, {timeOf(call, now)}
      </span>
      {decidedBy === undefined ? undefined : <span>decided by {visibleLine(decider(decidedBy))}</span>}
    </div>
  )
}

const Gutter = ({ rows }: { readonly rows: ReadonlyArray<LaneRow> }) => (
  <ol class="gutter" aria-label="Lanes">
    {rows.map(({ id, label, isBackground, tracks }, index) => (
      <li key={id} style={{ height: `${tracks.length * trackHeight}px`, lineHeight: `${trackHeight - 2}px` }}>
        <span class={rows[index - 1]?.label === label ? "lane is-again" : "lane"}>{visibleLine(label)}</span>
        {isBackground ? <span class="in-background">background</span> : undefined}
      </li>
    ))}
  </ol>
)

const Legend = () => (
  <ul class="legend" aria-label="Legend">
    <li class="is-run">running</li>
    <li class="is-bar">handlers</li>
    <li class="is-gate">gate</li>
    <li class="is-wait">wait</li>
    <li class="is-bad">error</li>
  </ul>
)

/** What to do on a page without calls. */
const whatNext = ({ connection, state: { info } }: Source): string => {
  if (connection === "written") return "No calls were made."
  if (connection !== "live") return "No calls yet."
  if (info.isStore)
    return "No calls are stored yet. Have a program enqueue some in this store: they appear here by themselves."
  return info.calls
    ? "No calls yet. Press “Call a tool” to make one, or start your agent: its calls appear here by themselves."
    : "No calls yet. Start your agent: its calls appear here by themselves, and its questions in the inbox."
}

/** The timeline of all calls. */
export const Timeline = (props: {
  readonly source: Source
  readonly state: PageState
  readonly open: number | undefined
  readonly onOpen: (key: number) => void
}) => {
  const { source, state, open, onOpen } = props
  const canvas = useRef<HTMLCanvasElement>(null)
  const scroller = useRef<HTMLDivElement>(null)
  const view = useRef<TimelineCanvas>(null)
  const opening = useRef(onOpen)
  opening.current = onOpen
  const [mode, setMode] = useState<Mode>("fit")
  const [point, setPoint] = useState<Point | undefined>()
  const [focused, setFocused] = useState("")
  const [rows, setRows] = useState<ReadonlyArray<LaneRow>>([])
  const queued = [...state.calls.values()].filter(({ status }) => status === "queued").length
  // Keys must work as soon as the page shows the timeline, not a frame later, when the canvas is painted.
  useLayoutEffect(() => {
    const shown = new TimelineCanvas(canvas.current!, scroller.current!, {
      onOpen: (key) => opening.current(key),
      onPoint: (call, x, y) => setPoint(call && { key: call.key, x, y }),
      onFocus: (call) => setFocused(call === undefined ? "" : described(call, source.now())),
      onFollow: setMode,
      now: () => source.now(),
    })
    view.current = shown
    return () => shown.close()
  }, [source])
  useLayoutEffect(() => {
    view.current?.show(state, open)
    setRows([...(view.current?.layout.rows ?? [])])
  }, [state, open])
  return (
    <section class="timeline" aria-label="Timeline">
      <header class="row">
        <h2>
          Timeline <span class="count">{state.calls.size}</span>
        </h2>
        {queued === 0 ? undefined : <span class="queued">{queued} queued</span>}
        <Legend />
        <span class="grow" />
        <fieldset class="zoom" aria-label="Zoom">
          <button type="button" aria-pressed={mode === "fit"} onClick={() => view.current?.set("fit")}>
            All
          </button>
          {source.connection === "written" ? undefined : (
            <button
              type="button"
              aria-pressed={mode === "follow"}
              onClick={() => view.current?.set("follow")}
            >
              Follow
            </button>
          )}
          <button type="button" aria-label="Zoom out" onClick={() => view.current?.zoom(1 / 0.6)}>
            −
          </button>
          <button type="button" aria-label="Zoom in" onClick={() => view.current?.zoom(0.6)}>
            +
          </button>
        </fieldset>
      </header>
      <div class="plot" ref={scroller}>
        <Gutter rows={rows} />
        <div class="bars">
          {/* biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: it takes the keys itself, and tells where it is. */}
          <canvas
            ref={canvas}
            tabIndex={0}
            role="application"
            aria-label="Calls on a timeline. Arrow keys go from call to call, Enter opens one, plus and minus zoom, 0 shows all."
          />
          {point === undefined ? undefined : <Tip source={source} point={point} />}
        </div>
        {state.calls.size === 0 ? <p class="none">{whatNext(source)}</p> : undefined}
      </div>
      <p class="hidden" aria-live="polite">
        {focused}
      </p>
    </section>
  )
}
