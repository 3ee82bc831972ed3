/** A host for tests: takes every event of an executor until it has nothing left to do, and answers as it is told. */
import type { AwaitingApprovalEvent, DelegateEvent, ToolEvent, ToolExecutor } from "../../src/index.ts"

export interface Answers {
  /** Default: approves. */
  readonly onApproval?: (event: AwaitingApprovalEvent) => void
  /** Default: succeeds with nothing. */
  readonly onDelegate?: (event: DelegateEvent) => void
  /** Sees every event before it is answered. */
  readonly onEvent?: (event: ToolEvent) => void
}

export const drive = async (executor: ToolExecutor, answers: Answers = {}): Promise<Array<ToolEvent>> => {
  const { onApproval, onDelegate, onEvent } = answers
  const events: Array<ToolEvent> = []
  for (let event = await executor.next(); event !== undefined; event = await executor.next()) {
    events.push(event)
    onEvent?.(event)
    if (event._tag === "AwaitingApproval") (onApproval ?? ((gate) => gate.approve()))(event)
    if (event._tag === "Delegate") (onDelegate ?? ((effect) => effect.succeed()))(event)
  }
  return events
}

const endings = new Set(["Completed", "Error", "Denied", "Cancelled"])

export const isEnding = (event: ToolEvent): boolean => endings.has(event._tag)

/** The tags of the effects that the host was asked, in order. */
export const effectsOf = (events: ReadonlyArray<ToolEvent>): Array<string> =>
  events.flatMap((event) => (event._tag === "Delegate" ? [event.effect._tag] : []))
