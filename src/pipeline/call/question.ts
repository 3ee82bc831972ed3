/**
 * What a call asks its host: an approval, or an effect. A question is open from `ask` until it is answered, expires or
 * its call is stopped; whatever comes after that finds it closed.
 */

import type { ApproveOptions } from "../model/event.ts"
import { messageOf } from "../model/failure.ts"
import type { HostEffect } from "../model/host-effect.ts"
import { formatMillis } from "../model/options.ts"
import { toOutput } from "../model/output.ts"
import type { Expiring } from "../schedule/deadlines.ts"
import type { GateSubject } from "./host-dialogue.ts"
import type { Interpreter } from "./interpreter.ts"

/** The call that asks. */
export interface Asker {
  approved(question: Approval, options: ApproveOptions): boolean
  denied(question: Approval, reason: string | undefined): boolean
  undecided(question: Approval): void
  /** Closes the question and lets the call go on. False where it is closed already. */
  answered(question: Question): boolean
}

export class Approval implements Expiring {
  readonly kind = "approval"
  expiresAt = 0
  slot = -1
  readonly interpreter: Interpreter
  readonly subject: GateSubject
  private readonly asker: Asker

  constructor(asker: Asker, interpreter: Interpreter, subject: GateSubject) {
    this.asker = asker
    this.interpreter = interpreter
    this.subject = subject
  }

  approve(options: ApproveOptions | undefined): boolean {
    return this.asker.approved(this, options ?? {})
  }

  deny(reason: string | undefined): boolean {
    return this.asker.denied(this, reason)
  }

  expire(): void {
    this.asker.undecided(this)
  }

  close(): void {}
}

export class Delegation implements Expiring {
  readonly kind = "delegate"
  expiresAt = 0
  slot = -1
  readonly interpreter: Interpreter
  readonly effect: HostEffect
  readonly timeout: number
  /** Where its event stands in the queue. */
  readonly sequence: number
  private readonly asker: Asker
  private controller: AbortController | undefined

  constructor(asker: Asker, interpreter: Interpreter, effect: HostEffect, timeout: number, sequence: number) {
    this.asker = asker
    this.interpreter = interpreter
    this.effect = effect
    this.timeout = timeout
    this.sequence = sequence
  }

  succeed(value: unknown): boolean {
    if (!this.asker.answered(this)) return false
    if (value === undefined || value === null) {
      this.interpreter.answer(undefined)
      return true
    }
    const output = toOutput(value)
    if (output !== undefined) this.interpreter.answer(output)
    else this.interpreter.fail(`The host's answer to ${this.effect._tag} is neither text nor content blocks`)
    return true
  }

  fail(message: unknown): boolean {
    if (!this.asker.answered(this)) return false
    this.interpreter.fail(messageOf(message))
    return true
  }

  /** Asks a function instead of the host's reader of events. */
  async askFunction(answer: (signal: AbortSignal) => unknown): Promise<void> {
    this.controller = new AbortController()
    try {
      this.succeed(await answer(this.controller.signal))
    } catch (error) {
      this.fail(error)
    }
  }

  expire(): void {
    this.fail(`The host did not answer ${this.effect._tag} within ${formatMillis(this.timeout)}`)
  }

  close(): void {
    this.controller?.abort()
  }
}

export type Question = Approval | Delegation
