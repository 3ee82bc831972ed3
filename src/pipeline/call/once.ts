/** Runs one of the calls with the same idempotency key, and answers the others with its result. */
import { createHash } from "node:crypto"
import type { TerminalEvent } from "../../model/event.ts"
import { got } from "../../model/got.ts"
import { failed, type Stopped } from "../../model/outcome.ts"
import { leaveAlone } from "../../model/thenable.ts"
import type { Tool } from "../../model/tool.ts"
import { messageOf } from "../../text/message-of.ts"
import type { Engine } from "../engine.ts"
import type { KeyAnswer } from "../stores/call-keys.ts"
import { type Admission, letIn } from "./admission.ts"
import type { Call } from "./call.ts"

type Keyed = Pick<Tool<unknown>, "name" | "idempotencyKey">

const noKey = (name: string, because: string): Stopped =>
  failed("failed", `The \`idempotencyKey\` of tool "${name}" ${because}. Nothing was run.`)

/**
 * The hash that identifies the call's key among the keys of all tools. Undefined if the call has no key. Returns an outcome if
 * the tool's function returned no valid key.
 */
const keyOf = ({ name, idempotencyKey }: Keyed, params: unknown): string | Stopped | undefined => {
  try {
    const own = idempotencyKey?.(params)
    if (own === undefined || own === null) return undefined
    if (own === "") return noKey(name, "is empty: it gives undefined for a call that has no key")
    if (typeof own === "string")
      return createHash("sha256")
        .update(JSON.stringify([name, own]))
        .digest("base64")
    leaveAlone(own)
    return noKey(name, `is to be a string, or undefined for a call that has none, ${got(own)}`)
  } catch (error) {
    return failed(
      "failed",
      `The \`idempotencyKey\` of tool "${name}" failed: ${messageOf(error)}. Nothing was run.`,
      error,
    )
  }
}

/** The outcome of a nested call that would wait for a call that waits for it. */
const heldBy = ({ toolCall: { callId, name } }: Call): Stopped =>
  failed(
    "failed",
    `The call "${callId}" of ${name} has the same idempotency key, and waits for this one. Nothing was run.`,
  )

/** Lets an admitted call run, or answers it with the result of the call that holds the same key, once that call has ended. */
export const admitOnce = (engine: Engine, call: Call, tool: Keyed, admission: Admission): void => {
  if (admission._tag === "Refused") return void engine.receive(call, admission)
  const key = keyOf(tool, admission.params)
  // A call that has ended meanwhile must not take a key, which nothing would release.
  if (call.state._tag !== "Preparing") return
  if (typeof key === "object") return void engine.receive(call, { _tag: "Refused", outcome: key })
  if (key === undefined) {
    if (call.key !== undefined) engine.keys.end(call, undefined, 0)
    return letIn(engine, call, admission)
  }
  const holder = engine.keys.lockedBy(call, key)
  if (holder !== undefined) return void engine.receive(call, { _tag: "Refused", outcome: heldBy(holder) })
  const goOn = (answer: KeyAnswer, isHere: boolean): void => {
    if (answer === undefined) letIn(engine, call, admission, isHere)
    else if (isHere) engine.receiveHere(call, { _tag: "Known", ...answer })
    else engine.receive(call, { _tag: "Known", ...answer })
  }
  const claimed = engine.keys.claim(call, key)
  if (!(claimed instanceof Promise)) return goOn(claimed, false)
  // While the call waits for another call with its key, its own time does not run.
  call.timer?.stop()
  // A call that restarts with another key must not hold a place that the holder of its new key waits for.
  engine.limiter?.leave(call, true)
  claimed.then(
    (answer) => goOn(answer, true),
    (error) =>
      engine.receiveHere(call, { _tag: "Refused", outcome: failed("failed", messageOf(error), error) }),
  )
}

/** Keeps the key of a call that was restored after it had started. */
export const reclaimKey = (engine: Engine, call: Call, tool: Keyed): void => {
  const key = keyOf(tool, call.toolCall.params)
  if (typeof key === "string") engine.keys.reclaim(call, key)
}

/**
 * Releases the key of a call. Only a result answers other calls: a failure does not, nor does a preview of work that is
 * not done.
 */
export const endKey = (engine: Engine, call: Call, event: TerminalEvent): void => {
  const isResult = event._tag === "Completed" && event.staged === undefined
  engine.keys.end(call, isResult ? event.output : undefined, call.tool?.idempotencyTtl ?? 0)
}

/** Whether a call with these parameters would be answered without being run. */
export const isKnown = async (engine: Engine, tool: Keyed, params: unknown): Promise<boolean> => {
  const key = keyOf(tool, params)
  return typeof key === "string" && (await engine.keys.peek(key)) !== undefined
}
