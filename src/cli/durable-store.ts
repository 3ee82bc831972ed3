/** `--durable FILE`: a store, so that the command can continue its calls after it was killed. */
import { createHash } from "node:crypto"
import type { DurableExecutor, DurableOptions } from "../durable/index.ts"
import type { ToolRegistry } from "../model/registry.ts"
import { messageOf } from "../text/message-of.ts"
import type { ScriptCall, ScriptStep } from "./script.ts"
import { tell } from "./tell.ts"
import { UsageError } from "./usage-error.ts"

/** Rejects with a UsageError for a store that cannot be opened. */
export const openStore = async (
  store: string,
  registry: ToolRegistry,
  options: DurableOptions,
): Promise<DurableExecutor> => {
  const { openDurableExecutor, StoreError } = await import("../durable/index.ts")
  let isAway = false
  const onStoreError = (error: unknown): void => {
    if (error !== undefined && !isAway)
      tell(`--durable: ${messageOf(error)}. Calls wait until it can be written.`)
    isAway = error !== undefined
  }
  try {
    return await openDurableExecutor({ ...options, store, registry, onStoreError, keepsRules: false })
  } catch (error) {
    if (error instanceof StoreError) throw new UsageError(`--durable: ${error.message}`)
    throw error
  }
}

/** A line without its own id is the same call as before while its text and place are unchanged. */
export const durableStep = (step: ScriptCall): ScriptCall => {
  const { call } = step
  if (!/^line-\d+$/.test(call.callId)) return step
  const { callId, ...rest } = call
  const hash = createHash("sha256").update(JSON.stringify(rest)).digest("hex").slice(0, 8)
  return { ...step, call: { ...call, callId: `${callId}-${hash}` } }
}

/** The agent that a session and a page call for. */
export const agentOfPerson = "main"

/** The agents that a script calls for. */
export const agentsOf = (steps: ReadonlyArray<ScriptStep>): ReadonlyArray<string> => [
  ...new Set(steps.flatMap((step) => (step._tag === "Call" ? [step.call.agentId ?? agentOfPerson] : []))),
]

/**
 * A runner that was just killed still counts as alive; until that expires, calls of these agents cannot run here. Waits for
 * it, and tells the user.
 */
export const untilTaken = (
  agentIds: ReadonlyArray<string>,
  durable: DurableExecutor | undefined,
  signal: AbortSignal,
): Promise<void> => {
  if (durable === undefined) return Promise.resolve()
  const [whose, them] = agentIds.length === 1 ? [`the agent ${agentIds[0]}`, "it"] : ["these agents", "them"]
  return durable.untilTaken(agentIds, {
    signal,
    onWait: () =>
      tell(`another process has ${whose}, or has died with ${them}: it is waited for a few seconds.`),
  })
}
