/** One signal per agent, for work outside of its calls. A cancel of the agent aborts the signal, and a new one replaces it. */
import { setMaxListeners } from "node:events"

/** The signals of all agents, each created when first read. */
export class AgentSignals {
  private readonly controllers = new Map<string, AbortController>()

  of(agentId: string): AbortSignal {
    let controller = this.controllers.get(agentId)
    if (controller === undefined) {
      controller = new AbortController()
      // Many listeners are normal here: without this, Node warns of a leak.
      setMaxListeners(0, controller.signal)
      this.controllers.set(agentId, controller)
    }
    return controller.signal
  }

  /** Aborts the signal of one agent, or of all agents. */
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
