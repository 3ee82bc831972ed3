/** The tools that each agent may call, and their definitions for the model. */
import { resolveName } from "../../resolve/definition.ts"
import type { ToolDefinition, ToolRegistry } from "../model/registry.ts"
import { tellAlone } from "../model/thenable.ts"
import type { Tool } from "../model/tool.ts"

/** The tools of all agents: a view of the registry. */
export class AgentTools {
  private readonly registry: ToolRegistry<unknown>
  /** The tool `resolve`, which the executor provides without registration. Created with its first call. */
  private readonly makeResolveTool: () => Tool<unknown>
  private madeResolveTool: Tool<unknown> | undefined
  private readonly active = new Map<string, ReadonlySet<string>>()
  private readonly listeners = new Map<string, Set<() => void>>()
  private stopListening: (() => void) | undefined

  constructor(registry: ToolRegistry<unknown>, makeResolveTool: () => Tool<unknown>) {
    this.registry = registry
    this.makeResolveTool = makeResolveTool
  }

  private get resolveTool(): Tool<unknown> {
    this.madeResolveTool ??= this.makeResolveTool()
    return this.madeResolveTool
  }

  /** Sets an agent's active tools. Throws for an unregistered name. `resolve` cannot be set: it is offered whenever it can be called. */
  setActive(agentId: string, names: Iterable<string>): void {
    const active = new Set(names)
    active.delete(resolveName)
    for (const name of active) {
      if (this.registry.get(name) === undefined)
        throw new Error(`Unknown tool \`${name}\`: register it first`)
    }
    this.active.set(agentId, active)
    this.changed(agentId)
  }

  forget(agentId: string): void {
    this.active.delete(agentId)
    this.changed(agentId)
  }

  /** Calls the listener whenever the definitions of an agent may have changed. Call the returned function to stop. */
  onChange(agentId: string, listener: () => void): () => void {
    // An entry of its own, because the same function may be added twice.
    const told = () => listener()
    const listeners = this.listeners.get(agentId) ?? new Set<() => void>()
    this.listeners.set(agentId, listeners.add(told))
    this.stopListening ??= this.registry.onChange(() => {
      for (const id of [...this.listeners.keys()]) this.changed(id)
    })
    return () => {
      listeners.delete(told)
      if (listeners.size > 0 || this.listeners.get(agentId) !== listeners) return
      this.listeners.delete(agentId)
      if (this.listeners.size > 0) return
      this.stopListening?.()
      this.stopListening = undefined
    }
  }

  /** Notifies the listeners that an agent's tools may have changed. */
  changed(agentId: string): void {
    for (const listener of [...(this.listeners.get(agentId) ?? [])]) tellAlone(listener)
  }

  /** The tool that this agent calls by this name. */
  toolFor(agentId: string, name: string): Tool<unknown> | undefined {
    if (name === resolveName) return this.resolveTool
    const active = this.active.get(agentId)
    return active === undefined || active.has(name) ? this.registry.get(name) : undefined
  }

  definitions(agentId: string, canResolve: boolean): Array<ToolDefinition> {
    const active = this.active.get(agentId)
    const definitions = this.registry.definitions(
      (tool) => tool.name !== resolveName && (active === undefined ? !tool.hidden : active.has(tool.name)),
    )
    if (!canResolve) return definitions
    const { name, description, parameters } = this.resolveTool
    return [...definitions, { name, description, parameters }]
  }
}
