/** The questions that a running handler asks its host with `context.delegate`: only one is open at a time. */

import type { HostEffect } from "../../model/host-effect.ts"
import { type DurationInput, ToolError } from "../../model/step.ts"
import type { ToolOutput } from "../../output/output.ts"
import type { Answer } from "../call/state.ts"

interface Asking {
  readonly effect: HostEffect
  readonly timeout: DurationInput | undefined
  readonly resolve: (output: ToolOutput | undefined) => void
  readonly reject: (reason: unknown) => void
}

const ignore = () => undefined

/** A handler's questions, in order. The next question is asked when the one before it is answered. */
export class MidwayQuestions {
  private readonly line: Array<Asking> = []
  /** Asks one question. Returns false once the call can no longer ask. */
  private readonly askHost: (effect: HostEffect, timeout: DurationInput | undefined) => boolean

  constructor(askHost: (effect: HostEffect, timeout: DurationInput | undefined) => boolean) {
    this.askHost = askHost
  }

  ask(effect: HostEffect, timeout: DurationInput | undefined): Promise<ToolOutput | undefined> {
    const answered = new Promise<ToolOutput | undefined>((resolve, reject) => {
      this.line.push({ effect, timeout, resolve, reject })
    })
    // A cancelled handler may never await the promise.
    answered.catch(ignore)
    if (this.line.length === 1) this.askNext()
    return answered
  }

  reply(answer: Answer): void {
    this.settle(answer)
    this.askNext()
  }

  /** Ends all questions, because the handler has gone on without them. `answer`: that to the first one, if it has just come. */
  goesOn(answer: Answer | undefined): void {
    if (answer !== undefined) this.settle(answer)
    for (const { effect, reject } of this.line.splice(0))
      reject(
        new Error(
          `The handler went on before the host had answered ${effect?._tag}. Await \`delegate\` before the next step`,
        ),
      )
  }

  /** Rejects all questions: none will be answered. */
  close(reason: unknown): void {
    for (const { reject } of this.line.splice(0)) reject(reason)
  }

  private settle(answer: Answer): void {
    const asked = this.line.shift()
    if (answer._tag === "Output") asked?.resolve(answer.output)
    else asked?.reject(new ToolError(answer.message, answer))
  }

  private askNext(): void {
    const next = this.line[0]
    if (next !== undefined && !this.askHost(next.effect, next.timeout)) {
      this.close(new DOMException("The call has ended", "AbortError"))
    }
  }
}
