/** An open call: its parameters, its plan and progress, its output, and who decided. */
import type { ComponentChildren } from "preact"
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import type { CallDetail, PartDetail } from "../state/detail.ts"
import type { CallRow } from "../state/page-state.ts"
import { CallButtons } from "./call-buttons.tsx"
import { timeOf } from "./calls/call-times.ts"
import { Cards, itemsOf } from "./cards.tsx"
import { decision } from "./decisions.ts"
import type { Source } from "./source.ts"
import { Diff, Output, Params, visibleLine } from "./texts.tsx"
import { duration, timeOfDay } from "./times.ts"
import { useSeconds } from "./use-seconds.ts"
import { useSettled } from "./use-settled.ts"

const partStates: Readonly<Record<PartDetail["state"], string>> = {
  done: "done",
  now: "here",
  ahead: "ahead",
  skipped: "skipped",
}

const Plan = ({ parts }: { readonly parts: ReadonlyArray<PartDetail> }) => (
  <ol class="plan">
    {parts.map(({ kind, name, label, person, state }, index) => (
      <li key={index} class={`is-${state} is-${kind}`} aria-current={state === "now" ? "step" : undefined}>
        <span class="part">{kind === "handler" || kind === "finally" ? visibleLine(name) : "gate"}</span>
        {label === undefined ? undefined : <span class="label">{visibleLine(label)}</span>}
        <span class="state">
          {kind === "finally" ? "finally, " : ""}
          {person ? "a person only, " : ""}
          {partStates[state]}
        </span>
      </li>
    ))}
  </ol>
)

const Fact = ({ name, value }: { readonly name: string; readonly value: string | undefined }) =>
  value === undefined || value === "" ? undefined : (
    <>
      <dt>{name}</dt>
      <dd>{visibleLine(value)}</dd>
    </>
  )

const timing = (call: CallRow, now: number): string => {
  const { queuedAt, startedAt, endedAt, limit } = call
  if (startedAt === undefined && endedAt === undefined)
    return `waits for its turn for ${timeOf(call, now)}${limit ? `: ${limit}` : ""}`
  if (startedAt === undefined) return "never started"
  const waited = startedAt - queuedAt
  const ran = endedAt === undefined ? "" : `, took ${duration(endedAt - startedAt)}`
  return `${timeOfDay(startedAt, true)}${ran}${waited >= 1 ? `, after ${duration(waited)} in the queue` : ""}`
}

const Facts = ({
  detail,
  row,
  now,
}: {
  readonly detail: CallDetail | undefined
  readonly row: CallRow
  readonly now: number
}) => (
  <dl class="facts">
    <Fact
      name="Status"
      value={detail?.reason === undefined ? row.status : `${row.status} (${detail.reason})`}
    />
    <Fact name="Agent" value={row.lane === row.agentId ? row.agentId : `${row.agentId}, lane ${row.lane}`} />
    <Fact name="Ran" value={timing(row, now)} />
    <Fact name="Decided by" value={detail?.decidedBy && decision(detail.decidedBy)} />
    <Fact name="Asked because" value={detail?.because} />
    <Fact name="Changed" value={detail?.changed?.paths.join(", ")} />
    <Fact name="Taken back by" value={detail?.changed?.undoneBy} />
    <Fact name="Staged" value={detail?.staged?.label} />
    <Fact name="Cleanup failed" value={detail?.cleanupErrors?.join("; ")} />
    <Fact name="Call" value={row.callId} />
    <Fact name="Trace" value={detail?.traceId} />
  </dl>
)

const Part = ({ title, children }: { readonly title: string; readonly children: ComponentChildren }) => (
  <section class="part-of">
    <h3>{title}</h3>
    {children}
  </section>
)

/** `isTold`: whether a card shows the question. */
const Texts = ({ detail, isTold }: { readonly detail: CallDetail; readonly isTold: boolean }) => {
  const { params, editedParams, diff, output, content } = detail
  const isStreamed = output !== "" && output.trim() !== content.trim()
  return (
    <>
      {diff === undefined || isTold ? undefined : (
        <Part title="Diff">
          <Diff text={diff} />
        </Part>
      )}
      {isTold ? undefined : (
        <Part title={editedParams === undefined ? "Parameters" : "Parameters that the model sent"}>
          <Params json={params} />
        </Part>
      )}
      {editedParams === undefined ? undefined : (
        <Part title="Parameters that ran">
          <Params json={editedParams} />
        </Part>
      )}
      {isStreamed ? (
        <Part title="Output">
          <Output text={output} />
        </Part>
      ) : undefined}
      {content === "" || content === diff || isTold ? undefined : (
        <Part title="Result">
          <Output text={content} />
        </Part>
      )}
    </>
  )
}

/** Reads the details of the call whenever they change; one request at a time. */
const useDetail = (source: Source, row: CallRow | undefined): CallDetail | undefined => {
  const [detail, setDetail] = useState<CallDetail | undefined>()
  const reading = useRef(false)
  const revision = row?.revision
  const read = detail?.row.revision
  const key = row?.key
  useEffect(() => {
    if (key === undefined || reading.current || (read !== undefined && read >= (revision ?? 0))) return
    reading.current = true
    const tell = (next: CallDetail | undefined) => {
      reading.current = false
      if (next !== undefined) setDetail(next)
    }
    // A failed read is repeated with the next change of the call.
    source.callDetail(key).then(tell, () => tell(undefined))
  }, [key, revision, read, source])
  return detail
}

/** The panel of the open call. */
export const CallPanel = (props: {
  readonly source: Source
  readonly row: CallRow | undefined
  readonly onClose: () => void
}) => {
  const { source, row, onClose } = props
  const detail = useDetail(source, row)
  const now = useSeconds(source, row !== undefined && row.startedAt === undefined)
  const heading = useRef<HTMLHeadingElement>(null)
  const [said, setSaid] = useState("")
  const panel = useRef<HTMLElement>(null)
  const items = itemsOf(source.state).filter(({ call }) => call === row?.key)
  const isAsking = items.length > 0 && source.connection !== "written"
  const isTold = items.some(
    (item) => item._tag === "Preview" || (item._tag === "Question" && item.question.effect === undefined),
  )
  // The click that opened the call could be the first of two.
  const isSettled = useSettled(items.map(({ id }) => id).join(" "), "closed")
  useLayoutEffect(() => {
    const opener = document.activeElement
    heading.current?.focus()
    // Returns the focus of a keyboard user to where the panel was opened.
    return () => {
      if (panel.current?.contains(document.activeElement)) (opener as HTMLElement | null)?.focus()
    }
  }, [])
  return (
    <section
      ref={panel}
      class={`call-panel is-${row?.status ?? "gone"}`}
      aria-label="Call"
      onKeyDown={({ key }) => key === "Escape" && onClose()}
    >
      <header class="row">
        <h2 ref={heading} tabIndex={-1} class="grow">
          <span class="dot" aria-hidden="true" />
          {row === undefined ? "This call is shown no longer" : visibleLine(row.name)}
          {row === undefined || row.title === row.name ? undefined : (
            <span class="title">{visibleLine(row.title)}</span>
          )}
        </h2>
        {row === undefined || source.connection === "written" ? undefined : (
          <CallButtons source={source} call={row} detail={detail} say={setSaid} />
        )}
        <button type="button" onClick={onClose} aria-label="Close">
          ✕
        </button>
      </header>
      <p class="note" role="status">
        {said}
      </p>
      {row === undefined ? undefined : (
        <div class="columns">
          <div class="about">
            <Facts detail={detail} row={row} now={now} />
            {detail === undefined || detail.plan.length === 0 ? undefined : (
              <Part title="Plan">
                <Plan parts={detail.plan} />
              </Part>
            )}
            {source.state.info.isStore ? (
              <p class="because">
                Another process runs this call. Its handlers, and what it puts out while it runs, are known
                there alone.
              </p>
            ) : undefined}
          </div>
          <div class="main">
            {isAsking ? (
              <Cards source={source} items={items} isSettled={isSettled} onOpen={undefined} say={setSaid} />
            ) : undefined}
            {detail === undefined ? undefined : <Texts detail={detail} isTold={isAsking && isTold} />}
          </div>
        </div>
      )}
    </section>
  )
}
