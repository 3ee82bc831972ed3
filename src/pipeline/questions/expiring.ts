/** Emits `GateExpiring` when the time of an open gate is nearly over, or when the gate is escalated. */

import { byTimeout } from "../../model/decision.ts"
import { messageOf } from "../../text/message-of.ts"
import type { Call } from "../call/call.ts"
import { type ApprovalQuestion, openQuestion } from "../call/state.ts"
import { tellDecision } from "../call/telling.ts"
import type { Engine } from "../engine.ts"
import { limitOf } from "../time/call-time.ts"
import { reviewQuestion } from "./gate-question.ts"

const openGate = ({ state }: Call): ApprovalQuestion | undefined => {
  const question = openQuestion(state)
  return question?.kind === "approval" ? question : undefined
}

/** Emits the time at which the gate ends. */
export const tellExpiring = (engine: Engine, call: Call, escalated: boolean): void => {
  if (openGate(call) === undefined) return
  const { agentId, callId } = call.toolCall
  const at = Math.round(engine.deadlines.time() + limitOf(engine, call))
  call.to.sink.push({
    _tag: "GateExpiring",
    agentId,
    callId,
    ...(escalated && { escalated }),
    seq: 0,
    at,
  })
}

/** Calls the host's `onEscalate`. The gate keeps waiting, even if the call fails. */
export const escalate = (engine: Engine, call: Call): void => {
  const question = openGate(call)
  if (question === undefined) return
  tellDecision(engine, call, "escalate", byTimeout)
  tellExpiring(engine, call, true)
  const { onEscalate } = engine.settings
  if (onEscalate === undefined) return
  const asked = reviewQuestion(call, question)
  void (async () => onEscalate(asked))().catch((error: unknown) =>
    process.emitWarning(
      `\`onEscalate\` failed for "${asked.callId}", which goes on waiting: ${messageOf(error)}`,
      { type: "SteplineWarning", code: "STEPLINE_ESCALATION_FAILED" },
    ),
  )
}
