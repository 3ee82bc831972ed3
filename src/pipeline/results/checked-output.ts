/** Enforces a tool's `outputSchema`: a call whose output breaks the schema ends as an Error, though its work is done. */

import type { CompletedEvent, ErrorEvent, TerminalEvent } from "../../model/event.ts"
import type { Mutable } from "../../model/mutable.ts"
import { textOf } from "../../output/output.ts"
import type { OutputCheck } from "../../schema/output-check.ts"
import { errorList } from "../../schema/validation.ts"
import { messageOf } from "../../text/message-of.ts"

/**
 * The event after the check: a completed call whose `structured` is missing or breaks the schema becomes an Error, with the
 * output's text after the message. Previews are not checked, because their work is not done yet.
 */
export const checkedOutput = (
  check: OutputCheck,
  event: TerminalEvent,
): TerminalEvent | Promise<TerminalEvent> => {
  if (event._tag !== "Completed" || event.staged !== undefined) return event
  const { structured } = event.output
  if (structured === undefined) {
    return broken(event, `Tool "${event.name}" has an outputSchema, and its output has no \`structured\``)
  }
  const told = (faults: ReadonlyArray<string>): TerminalEvent =>
    faults.length === 0 ? event : broken(event, misfit(event.name, faults))
  const unchecked = (error: unknown) => told([`root: ${messageOf(error)}`])
  try {
    const faults = check(structured)
    return faults instanceof Promise ? faults.then(told, unchecked) : told(faults)
  } catch (error) {
    return unchecked(error)
  }
}

const misfit = (name: string, faults: ReadonlyArray<string>): string =>
  `Tool "${name}" gave a \`structured\` that does not fit its outputSchema:\n${errorList(faults)}`

/** Leaves out the invalid `structured`, because its readers rely on the schema. */
const broken = ({ output, ...event }: CompletedEvent, message: string): ErrorEvent => {
  const { structured: _structured, ...rest } = output
  const text = textOf(output)
  const failed: Mutable<ErrorEvent> = {
    ...event,
    _tag: "Error",
    content: text === "" ? message : `${message}\n${text}`,
    reason: "failed",
  }
  if (rest.content.length > 0 || rest.details !== undefined) failed.output = rest
  return failed
}
