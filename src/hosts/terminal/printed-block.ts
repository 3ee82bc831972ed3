/** The block that an event makes final: it scrolls up and is not drawn again. */

import type { ToolEvent } from "../../model/event.ts"
import type { BackgroundTasks } from "../../tasks/background-tasks.ts"
import { type Block, isFinished, taskBlock } from "./block.ts"

/**
 * Returns the block to print for an event, if any: that of a call that has ended, or moved to the background.
 *
 * @param tasks The executor's tasks: an ended task's result is not in its event.
 * @param tasks The executor's: an ended task's result is not in its event.
 */
export const printedBlock = (
  event: ToolEvent,
  block: Block,
  tasks: Pick<BackgroundTasks, "get">,
): Block | undefined => {
  if (event._tag === "BackgroundStarted") {
    const { startedAt: _startedAt, ...still } = block
    return { ...still, text: `Running in background (task_id: ${block.callId})`, omittedLines: 0 }
  }
  if (event._tag === "BackgroundCompleted") {
    const task = tasks.get(block.callId)
    return task === undefined ? block : taskBlock(task, block)
  }
  return isFinished(block) ? block : undefined
}
