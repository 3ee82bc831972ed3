/** Continues a restored call when it has its turn again. */

import type { Call } from "./call.ts"
import { cleanPart } from "./cleaning.ts"
import type { Outbox } from "./command.ts"
import * as commands from "./command.ts"
import { enter, fail } from "./running.ts"
import { type Resume, running } from "./state.ts"

/** Continues a stored call where it stopped. Events that its earlier process did not emit come first. */
export const goOn = (call: Call, resume: Resume, out: Outbox): void => {
  if (!call.started) {
    call.started = true
    out.push(commands.tellStarted)
  }
  if (call.announced === "due") out.push(commands.announce)
  switch (resume._tag) {
    case "Asking": {
      const { question } = resume
      // A gate that the host was asked about stays open to the host's answer; an effect is asked about again.
      if (question.kind === "delegate") question.isAsked = false
      call.state = resume
      out.push(question.kind === "approval" && !question.isAsked ? commands.rule : commands.ask)
      return
    }
    case "Running":
      call.state = running
      call.attempts += 1
      return enter(call, out)
    case "Fail":
      call.state = running
      return fail(call, resume, out)
    case "Cleaning": {
      const { attempts } = call
      cleanPart(call, resume.part, resume.then, out)
      if (call.state._tag === "Cleaning") call.attempts = attempts + 1
    }
  }
}
