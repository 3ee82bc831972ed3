/** A signal for each agent that somebody works for outside its calls: aborted with them, and replaced then. */
import { setMaxListeners } from "node:events"

/** The signals of all agents, each made when it is first asked for. */
export class AgentSignals {
  private readonly controllers = new Map<string, AbortController>()

  of(agentId: string): AbortSignal {
    let controller = this.controllers.get(agentId)
    if (controller === undefined) {
      controller = new AbortController()
      // Whoever works for the agent listens: many is no leak.
      setMaxListeners(0, controller.signal)
      this.controllers.set(agentId, controller)
    }
    return controller.signal
  }

  /** Of one agent, or of all. */
  abort(agentId: string | undefined, reason: string): void {
    const aborted = agentId === undefined ? [...this.controllers.keys()] : [agentId]
    for (const id of aborted) {
      const controller = this.controllers.get(id)
      this.controllers.delete(id)
      controller?.abort(new DOMException(reason, "AbortError"))
    }
  }

  forget(agentId: string): void {
    this.controllers.delete(agentId)
  }
}
