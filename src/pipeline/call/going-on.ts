/** How a call goes on that was written down, once it has its turn again. */
import { cleanPart } from "./cleaning.ts"
import type { Outbox } from "./command.ts"
import * as commands from "./command.ts"
import { enter, fail } from "./running.ts"
import { type CallRecord, type Resume, running } from "./state.ts"

/** Goes on where it stood. What its host was to be told, and was not, it is told first. */
export const goOn = (record: CallRecord, resume: Resume, out: Outbox): void => {
  if (!record.started) {
    record.started = true
    out.push(commands.tellStarted)
  }
  if (record.announced === "due") out.push(commands.announce)
  switch (resume._tag) {
    case "Ask": {
      const { question } = resume
      record.state = { _tag: "Asking", question }
      out.push(question.kind === "approval" && !question.put ? commands.rule : commands.ask)
      return
    }
    case "Run":
      record.state = running
      return enter(record, out)
    case "Fail":
      record.state = running
      return fail(record, resume, out)
    case "Clean":
      return cleanPart(record, resume.part, resume.then, out)
  }
}
