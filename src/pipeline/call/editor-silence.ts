/** Effects for an editor that nobody answers: the host is warned, once, and no call waits for a second one. */

import type { Engine } from "../engine.ts"
import { noIde } from "../model/no-ide.ts"
import { delegateOf } from "../model/options.ts"
import type { Settings } from "../model/settings.ts"
import type { Call } from "./call.ts"
import type { EffectQuestion } from "./state.ts"
import { afterWaiting } from "./time.ts"

/** Milliseconds that an effect for an editor is open before its host is warned. */
const editorPatience = 2000

const warned = new WeakSet<object>()
/** Calls whose host has let such an effect run out. Another process that goes on with one may have an editor. */
const unanswered = new WeakSet<Call>()

/** Whether a host without an editor would not have to answer it: it is one of those that `noIde` answers, and nobody does. */
const isForEditor = (tag: string, { delegates }: Pick<Settings, "delegates">): boolean =>
  Object.hasOwn(noIde, tag) && delegateOf(delegates, tag) === undefined

/** What to do about an effect that nobody has answered; nothing where it is for no editor. */
export const editorAdvice = (tag: string, settings: Pick<Settings, "delegates">): string =>
  isForEditor(tag, settings) ? ". A host without an editor makes its executor with `delegates: noIde`" : ""

/** The call's host has let it run out. */
export const ranOut = (call: Call, { effect }: EffectQuestion): void => {
  if (Object.hasOwn(noIde, effect._tag)) unanswered.add(call)
}

/** Of an effect that the host was just asked: why it is not waited for; undefined where it is. */
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
