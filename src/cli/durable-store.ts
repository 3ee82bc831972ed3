/** `--durable FILE`: a store, so that the command goes on with its calls when it was killed. */
import { createHash } from "node:crypto"
import type { DurableExecutor, DurableOptions } from "../durable/index.ts"
import { messageOf } from "../pipeline/model/failure.ts"
import type { ToolRegistry } from "../pipeline/model/registry.ts"
import type { ScriptCall } from "./script.ts"
import { tell } from "./tell.ts"
import { UsageError } from "./usage-error.ts"

/** Throws a UsageError for a store that cannot be opened. */
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

/** A line without an id of its own is the same call as long as it stands there as it does. */
export const durableStep = (step: ScriptCall): ScriptCall => {
  const { call } = step
  if (!/^line-\d+$/.test(call.callId)) return step
  const { callId, ...rest } = call
  const hash = createHash("sha256").update(JSON.stringify(rest)).digest("hex").slice(0, 8)
  return { ...step, call: { ...call, callId: `${callId}-${hash}` } }
}
