/** Finds who answers an effect: the executor itself, a function of the host's, or the reader of its events. */

import { messageOf } from "../model/failure.ts"
import type { HostEffect } from "../model/host-effect.ts"
import { type DelegateFunction, toMillis } from "../model/options.ts"
import { textOutput } from "../model/output.ts"
import type { DurationInput } from "../model/step.ts"
import type { BackgroundTasks } from "../stores/background-tasks.ts"
import type { Interpreter } from "./interpreter.ts"
import { Delegation } from "./question.ts"
import type { Run } from "./run.ts"

export const delegate = (
  run: Run,
  interpreter: Interpreter,
  effect: HostEffect,
  timeout: DurationInput | undefined,
): void => {
  const { engine, sink, agentId, callId, sourceCallId } = run
  const { settings, events } = engine
  const tag = effect?._tag
  if (typeof tag !== "string") return interpreter.fail("An effect needs a `_tag` that names it")
  const own = answerOfTasks(engine.tasks, agentId, effect)
  if (own !== undefined) return interpreter.answer(textOutput(own))
  const answerer = Object.hasOwn(settings.delegates, tag)
    ? (settings.delegates[tag] as DelegateFunction<string> | undefined)
    : undefined
  if (answerer === undefined && !sink.answers) {
    return interpreter.fail(`The effect ${tag} needs a host, and nobody is there to answer it`)
  }
  let limit: number
  try {
    limit = timeout === undefined ? settings.delegateTimeout : toMillis("timeout", timeout)
  } catch (error) {
    return interpreter.fail(messageOf(error), error)
  }
  const question = new Delegation(run.dialogue, interpreter, effect, limit, events.sequence)
  run.dialogue.ask(question)
  if (answerer !== undefined) {
    const call = { agentId, callId, ...(sourceCallId !== undefined && { sourceCallId }) }
    void question.askFunction((signal) => answerer(effect as never, { ...call, signal }))
    return
  }
  sink.push({
    _tag: "Delegate",
    agentId,
    callId,
    ...(sourceCallId !== undefined && { sourceCallId }),
    effect,
    succeed: (output) => question.succeed(output),
    fail: (message) => question.fail(message),
  })
  // A reader that is still there reads within a turn of the event loop.
  if (engine.closing) setImmediate(() => run.dialogue.failUnread(question))
}

/** Background tasks are the executor's own to tell of. */
const answerOfTasks = (tasks: BackgroundTasks, agentId: string, effect: HostEffect): string | undefined => {
  if (effect._tag === "ListBackgroundTasks") return tasks.describe(agentId)
  if (effect._tag === "GetBackgroundTask") {
    return tasks.collect(agentId, String((effect as { readonly taskId?: unknown }).taskId))
  }
  return undefined
}
