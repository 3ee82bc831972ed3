/** What handlers see of their attempt: a view, so that nothing is made before it is read. */
import type { ToolCall } from "../model/call.ts"
import type { CallingAgent, HandlerContext, Resolution } from "../model/handler.ts"
import type { ToolOutput } from "../model/output.ts"
import { PendingActions } from "../stores/pending-actions.ts"
import type { Interpreter } from "./interpreter.ts"

export class AttemptContext implements HandlerContext {
  readonly #interpreter: Interpreter
  #delta: HandlerContext["delta"] | undefined

  constructor(interpreter: Interpreter) {
    this.#interpreter = interpreter
  }

  /** Bound, so that it survives destructuring. */
  get delta(): HandlerContext["delta"] {
    this.#delta ??= (content, partial) => this.#interpreter.stream(content, partial)
    return this.#delta
  }

  get agent(): CallingAgent {
    const { call, engine } = this.#interpreter.owner
    const { agentId } = call
    return {
      agentId,
      pendingActions: new PendingActions(engine.actions, agentId),
      cancel: (reason) => engine.cancelAgent(agentId, reason),
    }
  }

  get call(): ToolCall {
    return this.#interpreter.owner.call
  }

  get cwd(): string {
    return this.#interpreter.owner.engine.settings.cwd
  }

  get workspace(): string | undefined {
    return this.#interpreter.owner.engine.settings.workspace
  }

  get denies(): (path: string) => boolean {
    const { call, engine } = this.#interpreter.owner
    const { filters } = engine
    if (filters?.deniesPath === undefined) return () => false
    return (path) => {
      try {
        return filters.deniesPath!(call.name, path)
      } catch {
        // A filter that cannot tell must not let the file be read.
        return true
      }
    }
  }

  get output(): ToolOutput | undefined {
    return this.#interpreter.output
  }

  get signal(): AbortSignal {
    return this.#interpreter.signal
  }

  get resolution(): Resolution | undefined {
    return this.#interpreter.resolution
  }
}
