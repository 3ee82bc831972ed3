/** How `stepline run` shows events: as blocks, or as one line of JSON each. */

import { Notifications } from "../hosts/notifications.ts"
import type { Block } from "../hosts/terminal/block.ts"
import { queuedBlock } from "../hosts/terminal/block.ts"
import type { BlockList } from "../hosts/terminal/block-list.ts"
import { printable } from "../hosts/terminal/printable.ts"
import { printedBlock } from "../hosts/terminal/printed-block.ts"
import { singleLine, visibleLine } from "../hosts/terminal/render-text.ts"
import type { Style } from "../hosts/terminal/style.ts"
import type { ActionResolvedEvent, ToolEvent } from "../model/event.ts"
import type { BackgroundTasks } from "../tasks/background-tasks.ts"
import type { ScriptCall } from "./script.ts"

export interface Reporter {
  /** Called before the call is enqueued. */
  called(step: ScriptCall): void
  event(event: ToolEvent): void
  /** The command line has approved this call's gate. */
  approved(callId: string): void
  close(): void
}

/** The common interface of BlockView and PlainView. */
interface View {
  readonly blocks: BlockList
  readonly style: Style
  apply(event: ToolEvent): Block | undefined
  approved(callId: string): void
  print(lines: ReadonlyArray<string>): void
  printBlock(block: Block): void
  close(): void
}

/** Adds the reports of background tasks since the last result to a call's result, as for a model. */
const withNotifications = (event: ToolEvent, notifications: Notifications): ToolEvent => {
  switch (event._tag) {
    case "Completed":
    case "Error":
    case "Denied":
    case "Cancelled":
      return { ...event, content: notifications.appendTo(event.content, event.agentId) }
    default:
      notifications.push(event)
      return event
  }
}

/** JSON with all terminal control characters escaped. */
const jsonLine = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )

export const jsonReporter = (
  output: { write(text: string): unknown },
  notifications = new Notifications(),
): Reporter => ({
  called() {},
  event(event) {
    const told = withNotifications(event, notifications)
    // A cause is only for logs that can represent it. `JSON.stringify` drops the answer functions.
    const plain = told._tag === "Error" ? { ...told, cause: undefined } : told
    output.write(`${jsonLine(plain)}\n`)
  },
  approved() {},
  close() {},
})

export const blockReporter = (view: View, tasks: Pick<BackgroundTasks, "get">): Reporter => {
  const headings = new Map<string, string>()
  let isFirst = true
  const printHeading = (callId: string): void => {
    const heading = headings.get(callId)
    if (heading === undefined) return
    headings.delete(callId)
    const lines = printable(heading).split("\n")
    view.print([...(isFirst ? [] : [""]), ...lines.map((line) => view.style.bold(`── ${line}`))])
    isFirst = false
  }
  const printCleanupErrors = ({ label, cleanupErrors = [] }: ActionResolvedEvent): void => {
    for (const error of cleanupErrors) {
      view.print([view.style.bad(singleLine(`Cleanup of ${visibleLine(label)} failed: ${error}`))])
    }
  }
  return {
    called({ call, heading }) {
      view.blocks.set(queuedBlock(call))
      if (heading !== undefined) headings.set(call.callId, heading)
    },
    event(event) {
      if (event._tag === "ActionResolved") printCleanupErrors(event)
      const block = view.apply(event)
      const printed = block && printedBlock(event, block, tasks)
      if (printed === undefined) return
      printHeading(printed.callId)
      view.printBlock(printed)
      isFirst = false
    },
    approved: (callId) => view.approved(callId),
    close: () => view.close(),
  }
}
