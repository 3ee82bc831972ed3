/** Cuts the results of calls to the size that the model may receive, and keeps their full texts for `read_result`. */

import type { TerminalEvent } from "../../model/event.ts"
import { resultOf } from "../../model/outcome.ts"
import type { Tool } from "../../model/tool.ts"
import { cutBlocks, defaultOutputBytes } from "../../output/cut-blocks.ts"
import { textOf } from "../../output/output.ts"
import { readingOn } from "../../output/read-result.ts"
import type { Call } from "../call/call.ts"
import type { Engine } from "../engine.ts"

const limitOf = ({ settings }: Engine, tool: Tool<unknown> | undefined): number =>
  tool?.maxOutputBytes ??
  settings.maxOutputBytes ??
  (tool?.cutsOutput ? Number.POSITIVE_INFINITY : defaultOutputBytes)

/** The terminal event of a call, with its result cut to the limit. */
export const boundedEnd = (engine: Engine, call: Call, event: TerminalEvent): TerminalEvent => {
  const { callId } = event
  // `read_result` does not continue the reason why a call did not run: it is no output.
  const isOutput = call.started && event._tag !== "Denied"
  const cut = cutBlocks(resultOf(event).output.content, limitOf(engine, call.tool), (whole) =>
    isOutput && keep(engine, call, whole) ? readingOn(callId) : undefined,
  )
  if (cut === undefined) return event
  const { blocks, bytes } = cut
  const told = { content: textOf({ content: blocks }), bounded: { bytes, callId } }
  if (event._tag === "Completed") return { ...event, ...told, output: { ...event.output, content: blocks } }
  if (event._tag !== "Error" || event.output === undefined) return { ...event, ...told }
  // An Error's text is the event's: its output adds the other blocks.
  const content = blocks.filter(({ type }) => type !== "text")
  return { ...event, ...told, output: { ...event.output, content } }
}

/** Keeps a full text. Returns false if nobody could read it. */
const keep = (engine: Engine, call: Call, whole: Buffer): boolean => {
  const { tools, journal, results } = engine
  if (!tools.readsResults) return false
  const { agentId, callId } = call.toolCall
  const isKept =
    journal === undefined ? results.keep(agentId, callId, whole) : journal.keepsResult(call, whole.toString())
  if (isKept) tools.offerReadResult()
  return isKept
}
