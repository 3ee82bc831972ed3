/** The result of a background task as a store keeps it. */

import type { BackgroundTask } from "../../tasks/background-tasks.ts"
import { messageOf } from "../../text/message-of.ts"
import { keptText } from "../kept-text.ts"

/** JSON of it; of one that is none, without its parameters, and of its output the text alone, unless that is too long. */
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
