/** Effects for an editor that the host leaves unanswered: the host is warned once, and no call waits for a second such effect. */

import { noIde } from "../../model/no-ide.ts"
import { delegateOf } from "../../model/options.ts"
import type { Settings } from "../../model/settings.ts"
import type { Call } from "../call/call.ts"
import type { EffectQuestion } from "../call/state.ts"
import type { Engine } from "../engine.ts"
import { afterWaiting } from "../time/call-time.ts"

/** The milliseconds that an effect for an editor stays unanswered before its host is warned. */
const editorPatience = 2000

const warned = new WeakSet<object>()
/** Calls with such an effect that timed out. Not stored: another process that continues the call may have an editor. */
const unanswered = new WeakSet<Call>()

/** Whether the effect needs an editor (`noIde` can answer it), and no function of `delegates` answers it. */
const isForEditor = (tag: string, { delegates }: Pick<Settings, "delegates">): boolean =>
  Object.hasOwn(noIde, tag) && delegateOf(delegates, tag) === undefined

/** The advice for an unanswered effect; empty for an effect that needs no editor. */
export const editorAdvice = (tag: string, settings: Pick<Settings, "delegates">): string =>
  isForEditor(tag, settings) ? ". A host without an editor makes its executor with `delegates: noIde`" : ""

/** Records that an effect of the call timed out. */
export const ranOut = (call: Call, { effect }: EffectQuestion): void => {
  if (Object.hasOwn(noIde, effect._tag)) unanswered.add(call)
}

/** Why the call does not wait for this effect; undefined if it waits. */
export const editorRefusal = (engine: Engine, call: Call, tag: string): string | undefined => {
  if (!isForEditor(tag, engine.settings)) return undefined
  const advice = editorAdvice(tag, engine.settings)
  if (unanswered.has(call))
    return `${tag} was not waited for: the host had not answered an effect before it${advice}`
  if (!warned.has(engine)) {
    afterWaiting(engine, call, editorPatience, () => {
      if (warned.has(engine)) return
      warned.add(engine)
      const name = call.subject.name
      process.emitWarning(
        `Nobody has answered the effect ${tag} of ${name} for ${editorPatience / 1000} seconds${advice}`,
        { type: "SteplineWarning", code: "STEPLINE_UNANSWERED_EFFECT" },
      )
    })
  }
  return undefined
}
