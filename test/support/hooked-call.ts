/** One call of a tool, run to its end under the host's hooks. */
import { type Hooks, pipeline, Step } from "../../src/index.ts"
import { ScriptedHost } from "../../src/testing.ts"
import { executorOf, type Plan } from "./executor-of.ts"

/** Gives its parameters back. */
export const echo: Plan = (params) => pipeline().andThen(() => Step.Output(JSON.stringify(params)))

export const call = { callId: "c", name: "tool", params: { path: "a" } }

export const runHooked = async (hooks: Hooks, plan: Plan = echo): Promise<ScriptedHost> => {
  const host = new ScriptedHost(executorOf({ tool: plan }, { hooks }))
  await host.run([call])
  return host
}
