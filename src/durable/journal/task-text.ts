/** The result of a background task as a store keeps it. */
import type { BackgroundTask } from "../../pipeline/stores/background-tasks.ts"

/** JSON of it; of one that is no JSON, without its parameters, and of its output the text alone. */
export const taskText = ({ cause: _, ...task }: BackgroundTask): string => {
  try {
    return JSON.stringify(task)
  } catch {
    return JSON.stringify({ ...task, params: undefined, editedParams: undefined, output: undefined })
  }
}
