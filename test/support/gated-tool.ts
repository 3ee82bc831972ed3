/** A gate between two handlers, and a cleanup; all note what they did. */
import { pipeline, Step, type ToolPipeline } from "../../src/index.ts"

export interface GatedTool {
  readonly plan: ToolPipeline
  readonly log: ReadonlyArray<string>
}

export const gatedTool = (): GatedTool => {
  const log: Array<string> = []
  const note = (name: string) => () => {
    log.push(name)
    return Step.Output(name)
  }
  const plan = pipeline()
    .andThen(note("before"))
    .awaitApproval({ label: "Write a.ts" })
    .andThen(note("after"))
    .finally(note("closed"))
  return { log, plan }
}
