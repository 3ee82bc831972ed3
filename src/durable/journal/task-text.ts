/** The text of a background task's result in a store. */

import type { BackgroundTask } from "../../tasks/background-tasks.ts"
import { messageOf } from "../../text/message-of.ts"
import { keptText } from "../kept-text.ts"

/**
 * Serializes a task. A task that is not JSON, or is too long, is stored without its parameters and output and, if needed, without
 * its text.
 */
export const taskText = ({ cause: _, ...task }: BackgroundTask): string => {
  const bare = { ...task, params: undefined, editedParams: undefined, output: undefined }
  try {
    return keptText(task)
  } catch {
    try {
      return keptText(bare)
    } catch (error) {
      return JSON.stringify({ ...bare, content: `This cannot be kept: ${messageOf(error)}` })
    }
  }
}
