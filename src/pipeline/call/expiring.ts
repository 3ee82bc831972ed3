/** Tells that the time of an open gate is nearly over, or that it was escalated. */
import { messageOf } from "../../text/message-of.ts"
import type { Engine } from "../engine.ts"
import { byTimeout } from "../model/decision.ts"
import type { Call } from "./call.ts"
import { reviewQuestion } from "./gate-question.ts"
import { type ApprovalQuestion, openQuestion } from "./state.ts"
import { tellDecision } from "./telling.ts"
import { limitOf } from "./time.ts"

const openGate = ({ state }: Call): ApprovalQuestion | undefined => {
  const question = openQuestion(state)
  return question?.kind === "approval" ? question : undefined
}

/** Tells when the gate's time is over. */
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

/** Asks further: the host's `onEscalate`. The gate goes on waiting, also if that fails. */
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
