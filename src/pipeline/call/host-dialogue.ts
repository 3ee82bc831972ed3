/** The questions that a call puts to its host, one at a time, and what the host's answers do to the call. */

import type { EventSink } from "../events/event-queue.ts"
import type { ToolCall } from "../model/call.ts"
import type { ApproveOptions } from "../model/event.ts"
import { got } from "../model/got.ts"
import type { Resolution } from "../model/handler.ts"
import { formatMillis } from "../model/options.ts"
import { deniedByPolicy, deniedByUser, type Stopped } from "../model/outcome.ts"
import type { Tool } from "../model/tool.ts"
import type { Engine } from "./engine.ts"
import { Gatekeeper } from "./gatekeeper.ts"
import type { Interpreter } from "./interpreter.ts"
import { Approval, type Asker, type Question } from "./question.ts"

/** The call, as far as answers move it. */
export interface DialogueCall {
  readonly engine: Engine
  readonly sink: EventSink
  /** The call waits: its clock stands still. False where something else bounds the wait. */
  pause(): boolean
  goOn(): void
  /** A gate was passed. */
  passed(): void
  stop(outcome: Stopped): void
  runAgain(params: unknown): void
}

/** What a gate stands in front of: the call itself, or the one that staged what a `resolve` call applies. */
export interface GateSubject {
  readonly call: ToolCall
  readonly tool: Tool<unknown> | undefined
  /** Whether it may be approved with other parameters. */
  readonly editable: boolean
}

const appliedByRule: Resolution = { action: "apply" }

export class HostDialogue implements Asker {
  readonly gates: Gatekeeper
  private readonly owner: DialogueCall
  private question: Question | undefined

  constructor(owner: DialogueCall) {
    this.owner = owner
    this.gates = new Gatekeeper(owner.engine)
  }

  /** The question that is open. */
  get open(): Question | undefined {
    return this.question
  }

  /** True where the gate is passed without a question. */
  askApproval(interpreter: Interpreter, label: string | undefined, subject: GateSubject): boolean {
    const { gates, owner } = this
    const admitted = gates.admits(subject.call, subject.tool)
    // The host's filter may have ended the call.
    if (!interpreter.isOpen) return false
    if (admitted) {
      // A rule decides without a word: what was said at the gate before still holds.
      interpreter.resolution = gates.resolution ?? interpreter.resolution ?? appliedByRule
      owner.passed()
      return true
    }
    if (!owner.sink.answers) {
      owner.stop(deniedByPolicy("Denied: this call needs an approval, and nobody is there to give it"))
      return false
    }
    const question = new Approval(this, interpreter, subject)
    this.ask(question)
    const { agentId, callId, name, params, background } = subject.call
    owner.sink.push({
      _tag: "AwaitingApproval",
      agentId,
      callId,
      name,
      params,
      background,
      ...(label !== undefined && { label }),
      ...(interpreter.output !== undefined && { preview: interpreter.output }),
      approve: (options) => question.approve(options),
      deny: (reason) => question.deny(reason),
    })
    return false
  }

  ask(question: Question): void {
    this.question = question
    if (!this.owner.pause()) return
    const { deadlines, settings } = this.owner.engine
    deadlines.set(question, question.kind === "approval" ? settings.approvalTimeout : question.timeout)
  }

  answered(question: Question): boolean {
    if (this.question !== question) return false
    this.close()
    this.owner.goOn()
    return true
  }

  /** Nobody waits for an answer any more. */
  close(): void {
    if (this.question === undefined) return
    this.owner.engine.deadlines.clear(this.question)
    this.question.close()
    this.question = undefined
  }

  approved(question: Approval, { params, reason, remember }: ApproveOptions): boolean {
    const { call, tool, editable } = question.subject
    if (this.question !== question || (params !== undefined && !editable)) return false
    this.gates.pass(reason)
    if (remember === true) this.gates.remember(tool, params ?? call.params)
    // So may what remembers for it.
    if (this.question !== question) return false
    if (params !== undefined) {
      this.owner.runAgain(params)
      return true
    }
    this.answered(question)
    this.owner.passed()
    question.interpreter.proceed(this.gates.resolution!)
    return true
  }

  denied(question: Approval, reason: string | undefined): boolean {
    if (this.question !== question) return false
    this.owner.stop(deniedByUser(reason))
    return true
  }

  undecided(question: Approval): void {
    if (this.question !== question) return
    const message = `Denied: nobody decided within ${formatMillis(this.owner.engine.settings.approvalTimeout)}`
    this.owner.stop({ _tag: "Denied", by: "expired", message })
  }

  respond(answer: { readonly output?: unknown } | { readonly error: string }): boolean {
    if (typeof answer !== "object" || answer === null) {
      throw new TypeError(`Expected an answer with an \`output\` or an \`error\`, ${got(answer)}`)
    }
    if (this.question?.kind !== "delegate") return false
    return "error" in answer ? this.question.fail(answer.error) : this.question.succeed(answer.output)
  }

  /** Fails an effect that nobody has read, for a host that is gone. */
  failUnread(question = this.question): void {
    if (question?.kind !== "delegate" || !this.owner.sink.isUnread(question.sequence)) return
    question.fail("The host has shut down")
  }
}
