/** What the session's own commands do. */
import type { Correction } from "../../io/corrections.ts"
import type { ToolEvent } from "../../model/event.ts"
import type { ResolveRequest, ToolExecutor } from "../../pipeline/executor.ts"
import { messageOf } from "../../text/message-of.ts"
import { type Block, taskBlock } from "./block.ts"
import type { CallableTools, Input } from "./input.ts"
import { visibleLine } from "./render-text.ts"
import {
  changeLines,
  correctionLines,
  helpLines,
  pendingLines,
  taskLines,
  toolLines,
} from "./session-text.ts"
import type { Style } from "./style.ts"

/** The output of commands. */
export interface CommandView {
  /** In columns. */
  readonly width: number
  readonly style: Style
  print(lines: ReadonlyArray<string>): void
  printBlock(block: Block): void
}

/** The part of the session that its commands use. */
export interface CommandSession {
  readonly executor: ToolExecutor
  readonly tools: CallableTools
  readonly view: CommandView
  /** The user. */
  readonly by?: string | undefined
  readonly corrections: () => Promise<ReadonlyArray<Correction>>
  show(event: ToolEvent): void
  say(text: string): void
  leave(): void
}

/** Returns a promise for a command that takes time. */
export const performCommand = (
  { command, argument }: Extract<Input, { _tag: "Command" }>,
  session: CommandSession,
): void | Promise<void> => {
  const { executor, tools, view } = session
  switch (command) {
    case "tasks":
      return view.print(taskLines(executor.tasks.list(), tools, view))
    case "take":
      return take(argument!, session)
    case "cancel":
      return cancel(argument, session)
    case "pending":
      return view.print(pendingLines(executor.agent().pendingActions.list(), view))
    case "apply":
    case "discard":
      return resolve(command, argument, session)
    case "changes":
      return view.print(changeLines(executor.changes({ agentId: "main" }), view))
    case "undo":
      return undo(argument, session)
    case "corrections":
      return showCorrections(session)
    case "tools":
      return view.print(toolLines(tools, view))
    case "help":
      return view.print(helpLines(view))
    case "quit":
      return session.leave()
  }
}

export const noTask = (id: string): string => `There is no task ${visibleLine(id)}. /tasks lists them.`

const take = (id: string, { executor, view, say }: CommandSession): void => {
  const task = executor.tasks.take(id)
  if (task !== undefined) view.printBlock(taskBlock(task))
  else if (executor.tasks.get(id) !== undefined) say(`Task ${id} still runs.`)
  else say(noTask(id))
}

const cancel = (id: string | undefined, { executor, say }: CommandSession): void => {
  const reason = "Cancelled by user"
  if (id === undefined) {
    if (executor.cancel({ reason }) === 0) say("Nothing runs in the foreground.")
  } else if (!executor.cancelCall(id, reason)) {
    say(`Nothing that runs has the ID ${id}.`)
  }
}

/** Runs outside of the lane, so that running and waiting calls do not delay the decision. */
const resolve = async (
  action: ResolveRequest["action"],
  reason = "Decided by the user",
  { executor, by, show, say }: CommandSession,
): Promise<void> => {
  try {
    await executor.agent().resolve({ action, reason }, { onEvent: show, ...(by !== undefined && { by }) })
  } catch (error) {
    // The session was left meanwhile: the call continues with the next session of the store.
    say(messageOf(error))
  }
}

/** Runs in the agent's lane, like any call. */
const undo = async (callId: string | undefined, { executor, show, say }: CommandSession): Promise<void> => {
  try {
    await executor.agent().undo(callId === undefined ? { last: 1 } : { callId }, { onEvent: show })
  } catch (error) {
    say(messageOf(error))
  }
}

const showCorrections = async ({ corrections, view, say }: CommandSession): Promise<void> => {
  try {
    view.print(correctionLines(await corrections(), view))
  } catch (error) {
    say(messageOf(error))
  }
}
