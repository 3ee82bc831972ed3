/** Carries out the commands that `transition` emits for a call, from validating its parameters to emitting its terminal event. */

import type { TerminalEvent } from "../../model/event.ts"
import { defaultOutputBytes } from "../../output/cut-blocks.ts"
import { settledEvent } from "../actions/action-events.ts"
import { stageAction } from "../actions/resolving.ts"
import type { Engine } from "../engine.ts"
import { afterNested } from "../nested/nesting.ts"
import { takeTurn } from "../nested/turns.ts"
import { toBackground } from "../questions/answers.ts"
import { askHost, rememberCall } from "../questions/asking.ts"
import { ranOut } from "../questions/editor-silence.ts"
import { escalate, tellExpiring } from "../questions/expiring.ts"
import { markOf } from "../questions/gate-time.ts"
import { reviewGate, ruleGate } from "../questions/reviewing.ts"
import { isJudged, judge } from "../results/after-call.ts"
import { boundedEnd } from "../results/bounding.ts"
import { checkedOutput } from "../results/checked-output.ts"
import { abortFunction, closeQuestion, movesNow, suspended } from "../time/call-time.ts"
import { timeoutMessage, unreadMessage } from "../time/time-messages.ts"
import { admit, letIn } from "./admission.ts"
import type { Call } from "./call.ts"
import type { Command } from "./command.ts"
import { close, finish, interrupt, runFinal, runPart, streamStep } from "./handling.ts"
import type { Input } from "./input.ts"
import { admitOnce, endKey } from "./once.ts"
import { openQuestion } from "./state.ts"
import { endOf, tellAnnounced, tellEnded, tellStarted } from "./telling.ts"

const judged: Input = { _tag: "Judged" }

/** Carries out one command. Never throws. */
export const execute = (engine: Engine, call: Call, command: Command): void => {
  switch (command._tag) {
    case "Prepare":
      return prepare(engine, call)
    case "TellStarted":
      return tellStarted(engine, call)
    case "Announce":
      engine.receive(call, { _tag: "Announced" })
      if (call.announced === "yes") tellAnnounced(engine, call)
      return
    case "Run":
      return runPart(engine, call, command)
    case "Reply":
      return reply(call)
    case "Stream":
      return streamStep(engine, call, command.content, command.partial)
    case "Rule":
      return ruleGate(engine, call)
    case "Review":
      call.span?.asks(openQuestion(call.state), true)
      return reviewGate(engine, call)
    case "Ask":
      call.span?.asks(openQuestion(call.state))
      return askHost(engine, call)
    case "Warn":
      return tellExpiring(engine, call, false)
    case "Escalate":
      return escalate(engine, call)
    case "CloseQuestion":
      return closeQuestion(call)
    case "Remember":
      return rememberCall(engine, call, command.choice)
    case "TakePlace":
      return takePlace(engine, call)
    case "ReleasePlace":
      // The call may have received a new place since the command was emitted, and keeps that one.
      if (call.place !== "held") engine.pool.release(call)
      return
    case "LeaveLane":
      return engine.lanes.leave(call)
    case "Stage":
      if (call.state._tag === "Running") stageAction(engine, call)
      return
    case "SettleAction":
      engine.actions.settle(call.toolCall.agentId, command.action)
      call.resolved = settledEvent(call.toolCall, command.action)
      return
    case "RestoreAction":
      return engine.actions.restore(call.toolCall.agentId, command.action)
    case "Interrupt":
      return interrupt(engine, call)
    case "Close":
      return close(engine, call)
    case "RunFinal":
      return runFinal(engine, call, command)
    case "Judge":
      return judgeEnd(engine, call)
    case "TellEnd":
      return tellEnd(engine, call)
  }
}

const prepare = (engine: Engine, call: Call): void => {
  const { state, tool, toolCall } = call
  if (state._tag !== "Preparing") return
  call.attempt = undefined
  const admission = admit(toolCall, tool, engine, call)
  const isKeyed = tool?.idempotencyKey !== undefined
  if (!(admission instanceof Promise)) {
    if (isKeyed) admitOnce(engine, call, tool, admission)
    else if (engine.limiter !== undefined) letIn(engine, call, admission)
    else engine.receive(call, admission)
    return
  }
  suspended(engine, call)
  void admission.then((admitted) => {
    call.controller = undefined
    if (isKeyed) admitOnce(engine, call, tool, admitted)
    else letIn(engine, call, admitted, true)
  })
}

const reply = (call: Call): void => {
  const { reply: answer, attempt } = call
  call.reply = undefined
  if (answer !== undefined) attempt?.questions?.reply(answer)
}

const takePlace = (engine: Engine, call: Call): void => {
  if (call.place !== "asked") return
  if (call.toolCall.planned === true) takeTurn(engine, call)
  else if (engine.pool.take(call)) engine.placed(call)
  else call.timer?.stop()
}

/** Checks the output against the tool's schema, then lets the `afterCall` hook change the result. */
const judgeEnd = (engine: Engine, call: Call): void => {
  if (call.attempt !== undefined) finish(engine, call, call.attempt)
  const check = call.tool?.outputCheck
  const end = endOf(call)
  const event = check === undefined ? end : checkedOutput(check, end)
  if (!(event instanceof Promise)) return askHook(engine, call, event)
  suspended(engine, call)
  void event.then((checked) => askHook(engine, call, checked))
}

const askHook = (engine: Engine, call: Call, event: TerminalEvent): void => {
  if (call.state._tag !== "Judging") return
  const { afterCall } = engine.settings.hooks
  call.ending = event
  if (afterCall === undefined || !isJudged(event)) return void engine.receive(call, judged)
  const controller = new AbortController()
  call.controller = controller
  suspended(engine, call)
  void judge(afterCall, call.toolCall, event, call.tool?.outputCheck, controller.signal).then((last) => {
    if (call.state._tag !== "Judging") return
    call.ending = last
    engine.receive(call, judged)
  })
}

const tellEnd = (engine: Engine, call: Call): void => {
  const wasActive = engine.ended(call)
  const event = call.ending ?? endOf(call)
  if (call.key !== undefined) endKey(engine, call, event)
  const { content } = event
  const blocks = "output" in event ? event.output?.content : undefined
  // A character takes at most three bytes, so few results have to be measured.
  const isShort =
    content.length * 3 <= (call.tool?.maxOutputBytes ?? engine.settings.maxOutputBytes ?? defaultOutputBytes)
  const isText =
    blocks === undefined || blocks.length === 0 || (blocks.length === 1 && blocks[0]!.type === "text")
  // A handler reads the result of its nested call, and not the model; the result of a task may be for both.
  const isForHandler = call.to.outer !== undefined && !call.toolCall.background
  tellEnded(engine, call, isForHandler || (isShort && isText) ? event : boundedEnd(engine, call, event))
  if (!wasActive) return
  engine.journal?.ended(call)
  if (call.toolCall.background) engine.tasks.over(call.toolCall.callId)
  engine.limiter?.leave(call)
  engine.lanes.leave(call)
}

/** Handles the end of the time limit for the call's current state. */
export const timedOut = (engine: Engine, call: Call): void => {
  const { settings } = engine
  if (call.timer?.unblock() === true) {
    return void engine.receive(call, { _tag: "TimedOut", message: unreadMessage(settings.consumerTimeout) })
  }
  if (movesNow(engine, call)) return void toBackground(engine, call)
  const { state } = call
  if (state._tag === "Limited") {
    const message = engine.limiter!.late(call, state.maxWait)
    return void engine.receive(call, { _tag: "TimedOut", message })
  }
  if (call.state._tag === "Judging") {
    abortFunction(call, new DOMException("The hook took too long", "TimeoutError"))
  }
  const question = openQuestion(call.state)
  if (question?.kind === "delegate") ranOut(call, question)
  if (question?.kind === "approval" && markOf(question) !== "end") {
    engine.receive(call, { _tag: "Marked" })
    return suspended(engine, call)
  }
  const out = () => void engine.receive(call, { _tag: "TimedOut", message: timeoutMessage(call, settings) })
  // The nested calls of a finally handler end before this call does.
  if (call.state._tag === "Cleaning" && call.nested?.isOpen === true)
    afterNested(engine, call, call.nested, out)
  else out()
}
