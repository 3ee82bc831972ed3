/** The agents of the conversations that a host for an SDK serves. */
import type { ToolTypes } from "../../model/tool-types.ts"
import type { AgentLoop } from "./agent-loop.ts"

/** How many agents are remembered; the oldest are forgotten. */
const maxAgents = 1000

/** The agents of conversations. All calls of one step are one turn of its agent. */
export class Threads<T extends ToolTypes> {
  private readonly makeLoop: (agentId: string) => AgentLoop<T>
  private readonly agentId: string | undefined
  private readonly known = new Map<string, { readonly loop: AgentLoop<T>; step: unknown }>()

  constructor(makeLoop: (agentId: string) => AgentLoop<T>, agentId: string | undefined) {
    this.makeLoop = makeLoop
    this.agentId = agentId
  }

  /** `id`: that of the conversation, if it has one. `step`: unlike that of other steps, also of other runs; undefined for the last one. */
  of(id: unknown, step: unknown): AgentLoop<T> {
    const agentId = this.agentId ?? (typeof id === "string" && id !== "" ? id : "main")
    const thread = this.known.get(agentId) ?? { loop: this.makeLoop(agentId), step: undefined }
    this.known.delete(agentId)
    this.known.set(agentId, thread)
    const [oldest] = this.known.keys()
    if (this.known.size > maxAgents) this.known.delete(oldest!)
    if (step !== undefined && step !== thread.step) {
      thread.loop.nextTurn()
      thread.step = step
    }
    return thread.loop
  }
}
