/** Runs one call of a pipeline, approving what is asked. */
import type { ToolEvent } from "../../src/index.ts"
import { ScriptedHost } from "../../src/testing.ts"
import { executorOf, type Plan } from "./executor-of.ts"

/** Its events. */
export const runOne = async (plan: Plan): Promise<Array<ToolEvent>> =>
  new ScriptedHost(executorOf({ tool: plan })).run([{ callId: "c", name: "tool" }])

/** Its terminal event. */
export const endOf = async (plan: Plan): Promise<ToolEvent | undefined> => (await runOne(plan)).at(-1)

/** The content of its Completed event. */
export const contentOf = async (plan: Plan): Promise<string> => {
  const end = await endOf(plan)
  if (end?._tag !== "Completed") throw new Error(`Expected Completed, got ${JSON.stringify(end)}`)
  return end.content
}
