/**
 * A call as a host shows it: plain JSON, folded from the executor's events. One call, one block. Folding is pure, and its
 * cost does not depend on how much the call has printed: the text is bounded.
 */

import type { ToolCallInput } from "../../model/call.ts"
import type { DecidedBy } from "../../model/decision.ts"
import type { FinalStatus, ToolEvent } from "../../model/event.ts"
import type { ToolContent } from "../../output/content.ts"
import { type ToolOutput, textOf } from "../../output/output.ts"
import { noRuleFor } from "../../pipeline/questions/ruling.ts"
import { withoutHint } from "../../resolve/reminder.ts"
import type { BackgroundTask } from "../../tasks/background-tasks.ts"

/** `pending` waits for its host's decision. */
export type BlockStatus = "queued" | "pending" | "running" | FinalStatus

/** What a gate previews. */
export interface BlockPreview {
  readonly text: string
  /** The details of the output so far, such as an edit's diff. */
  readonly details?: unknown
}

/** A call as a host shows it. Plain JSON. */
export interface Block {
  readonly callId: string
  /** For a nested call: the id of its outer call. */
  readonly parentId?: string
  readonly agentId: string
  readonly toolName: string
  readonly params: unknown
  readonly status: BlockStatus
  /** The streamed text; after the call's end, its text for the model. The newest `maxBlockText` characters or more. */
  readonly text: string
  /** How many lines of the text were dropped from its front. */
  readonly omittedLines: number
  readonly background: boolean
  /** The question of the gate, while the call waits there. */
  readonly label?: string
  /** Why the gate asks, while the call waits there. */
  readonly because?: string
  /** The `seq` of the gate's question, while the call waits there. */
  readonly asked?: number
  /** Set while only some people may answer the gate, or several have to. */
  readonly named?: true
  /** How many people have to approve the gate, if more than one. */
  readonly quorum?: number
  /** Who has approved so far. */
  readonly approvedBy?: ReadonlyArray<string>
  /** Why the call was denied, if that says more than its text. */
  readonly why?: string
  /** The preview, while the call waits at its gate. */
  readonly preview?: BlockPreview
  /** For a call that applies a preview and shows the gate of that preview's call: its own tool and parameters. */
  readonly askedBy?: { readonly toolName: string; readonly params: unknown }
  /** The details of the output. */
  readonly details?: unknown
  /** Set if the result is that of an earlier call with the same idempotency key. */
  readonly deduplicated?: true
  /** Finally handlers that failed. */
  readonly cleanupErrors?: ReadonlyArray<string>
  /** When the call began to run, or continued after its gate, in milliseconds since the epoch. */
  readonly startedAt?: number
  readonly endedAt?: number
}

/** How many characters of a block's text are always kept; the text is cut at twice as many. */
export const maxBlockText = 65_536

type BoundedText = Pick<Block, "text" | "omittedLines">

const countLines = (text: string): number => {
  let count = 0
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count += 1
  return count
}

const boundText = (text: string, omittedLines: number): BoundedText => {
  if (text.length <= 2 * maxBlockText) return { text, omittedLines }
  const from = text.length - maxBlockText
  const lineEnd = text.indexOf("\n", from)
  const start = lineEnd === -1 || lineEnd === text.length - 1 ? from : lineEnd + 1
  return { text: text.slice(start), omittedLines: omittedLines + countLines(text.slice(0, start)) }
}

const kilobytesOf = (base64: string): number => Math.ceil((base64.length * 3) / 4 / 1000)

const listed = (...parts: ReadonlyArray<string | undefined>): string =>
  `[${parts.filter((part) => part !== undefined && part !== "").join(", ")}]`

const blockLines = (block: ToolContent): Array<string> => {
  switch (block.type) {
    case "text":
      return []
    case "image":
    case "audio":
      return [listed(block.mimeType, `${kilobytesOf(block.data)} kB`)]
    case "resource": {
      const { uri, mimeType, text, blob } = block.resource
      if (blob !== undefined) return [listed(uri, mimeType, `${kilobytesOf(blob)} kB`)]
      return [listed(uri, mimeType), text]
    }
    case "resource_link":
      return [listed(block.title ?? block.name, block.uri, block.mimeType)]
  }
}

/** The parts of an output other than text, a line or more for each block. */
const otherLines = ({ content }: ToolOutput): string => content.flatMap(blockLines).join("\n")

/** The block of a call that was enqueued and has not started. */
export const queuedBlock = (
  call: ToolCallInput & { readonly callId: string; readonly parentId?: string },
): Block => ({
  callId: call.callId,
  ...(call.parentId !== undefined && { parentId: call.parentId }),
  agentId: call.agentId ?? "main",
  toolName: call.name,
  params: call.params ?? {},
  status: "queued",
  text: "",
  omittedLines: 0,
  background: call.background ?? false,
})

/** The block after an approval. The executor emits no event for it, so the host that decides folds it in. */
export const approvedBlock = (block: Block, now: number): Block => ({
  ...leaveGate(block),
  status: "running",
  startedAt: now,
})

const leaveGate = (block: Block): Block => {
  const { label: _label, because: _because, preview: _preview, askedBy, ...others } = block
  const { asked: _asked, named: _named, quorum: _quorum, approvedBy: _approvedBy, ...rest } = others
  return { ...rest, ...askedBy }
}

/** The block after an approval of a gate that needs more people. */
export const votedBlock = (block: Block, by: string): Block => {
  const { approvedBy = [] } = block
  return approvedBy.includes(by) ? block : { ...block, approvedBy: [...approvedBy, by] }
}

const withoutGate = (block: Block, now: number): Block =>
  block.status === "pending" ? approvedBlock(block, now) : block

interface Ending {
  readonly status: FinalStatus
  readonly content: string
  readonly output?: ToolOutput
  readonly decidedBy?: DecidedBy
  readonly editedParams?: unknown
  readonly deduplicated?: true
  readonly cleanupErrors?: ReadonlyArray<string>
}

const ended = (block: Block, ending: Ending, now: number): Block => {
  const { status, content, output, decidedBy, editedParams, deduplicated, cleanupErrors } = ending
  const why = status === "denied" && decidedBy?.kind === "rule" ? decidedBy.reason : undefined
  const others = output === undefined ? "" : otherLines(output)
  // The host has its own words for how people resolve a preview.
  const told = withoutHint(content)
  const text = told === "" || others === "" ? told + others : `${told}\n${others}`
  return {
    ...withoutGate(block, block.startedAt ?? now),
    ...boundText(text, 0),
    status,
    endedAt: now,
    ...(output?.details !== undefined && { details: output.details }),
    ...(why !== undefined && !told.includes(why) && { why }),
    ...(editedParams !== undefined && { params: editedParams }),
    ...(deduplicated !== undefined && { deduplicated }),
    ...(cleanupErrors !== undefined && { cleanupErrors }),
  }
}

/** The block of a background task that has ended, with the result that its executor keeps. */
export const taskBlock = (task: BackgroundTask, block?: Block): Block => {
  const { status, content, output, decidedBy, cleanupErrors } = task
  const base = block ?? { ...queuedBlock({ ...task, callId: task.id }), background: true }
  if (status === "pending" || status === "running" || status === "waiting") return base
  const at = base.endedAt ?? base.startedAt ?? 0
  const rest = {
    ...(output !== undefined && { output }),
    ...(decidedBy !== undefined && { decidedBy }),
    ...(cleanupErrors !== undefined && { cleanupErrors }),
  }
  return ended(base, { status, content, ...rest }, at)
}

/** Whether the block is final. */
export const isFinished = (block: Block): block is Block & { readonly status: FinalStatus } =>
  block.status !== "queued" && block.status !== "pending" && block.status !== "running"

/**
 * Folds an event into the block of its call; undefined if the call has no block.
 *
 * @param block The block so far, or undefined before the call's first event.
 * @param now Milliseconds since the epoch, for the elapsed time.
 */
export const foldBlock = (block: Block | undefined, event: ToolEvent, now: number): Block | undefined => {
  switch (event._tag) {
    case "Started":
      return { ...queuedBlock(event), status: "running", startedAt: now }
    case "AwaitingApproval": {
      const { name, params, label, because, preview, named, quorum, approvedBy } = event
      const call = block === undefined ? queuedBlock(event) : leaveGate(block)
      return {
        ...call,
        toolName: name,
        params,
        status: "pending",
        asked: event.seq,
        ...(name !== call.toolName && { askedBy: { toolName: call.toolName, params: call.params } }),
        ...(label !== undefined && { label }),
        ...(named !== undefined && { named }),
        ...(quorum !== undefined && { quorum }),
        ...(approvedBy !== undefined && { approvedBy }),
        ...(because !== noRuleFor(name) && { because }),
        ...(preview !== undefined && {
          preview: {
            text: [textOf(preview), otherLines(preview)].filter((text) => text !== "").join("\n"),
            ...(preview.details !== undefined && { details: preview.details }),
          },
        }),
      }
    }
    case "Delta":
      return (
        block && {
          ...withoutGate(block, now),
          ...boundText(block.text + event.content, block.omittedLines),
        }
      )
    case "Delegate":
      return block && withoutGate(block, now)
    case "BackgroundStarted":
      return block && { ...withoutGate(block, now), background: true }
    case "BackgroundCompleted":
      return block && { ...withoutGate(block, now), status: event.status, endedAt: now }
    case "Completed":
      return ended(block ?? queuedBlock(event), { ...event, status: "complete" }, now)
    case "Error":
      return ended(block ?? queuedBlock(event), { ...event, status: "error" }, now)
    case "Denied":
      return ended(block ?? queuedBlock(event), { ...event, status: "denied" }, now)
    case "Cancelled":
      return ended(block ?? queuedBlock(event), { ...event, status: "cancelled" }, now)
    case "ActionPending":
    case "ActionResolved":
      return undefined
  }
}
