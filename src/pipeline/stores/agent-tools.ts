/** The tools that each agent may call, and their definitions for the model. */

import type { ToolRegistry } from "../../model/registry.ts"
import { tellAlone } from "../../model/thenable.ts"
import type { Tool } from "../../model/tool.ts"
import type { ToolDefinition } from "../../model/tool-definition.ts"
import { readResultName } from "../../output/read-result.ts"
import { resolveName } from "../../resolve/definition.ts"
import { undoName } from "../../undo/undo-request.ts"
import { undoTool } from "../../undo/undo-tool.ts"

/** The tools that every executor provides itself, unless a tool of that name is registered. */
export const ownToolNames: ReadonlyArray<string> = [resolveName, readResultName, undoName]

/** Makes the tools that the executor provides itself. */
export interface OwnTools {
  makeResolve(): Tool<unknown>
  makeReadResult(): Tool<unknown>
}

/** The tools of all agents: a view of the registry. */
export class AgentTools {
  private readonly registry: ToolRegistry<unknown>
  /** The tools that the executor provides without registration. Each is created with its first call. */
  private readonly make: OwnTools
  private madeResolveTool: Tool<unknown> | undefined
  private madeReadResultTool: Tool<unknown> | undefined
  /** Whether a result was cut, so that `read_result` can read it. */
  offersReadResult = false
  private readonly active = new Map<string, ReadonlySet<string>>()
  private readonly listeners = new Map<string, Set<() => void>>()
  private stopListening: (() => void) | undefined

  constructor(registry: ToolRegistry<unknown>, make: OwnTools) {
    this.registry = registry
    this.make = make
  }

  private get resolveTool(): Tool<unknown> {
    this.madeResolveTool ??= this.make.makeResolve()
    return this.madeResolveTool
  }

  private get readResultTool(): Tool<unknown> {
    this.madeReadResultTool ??= this.make.makeReadResult()
    return this.madeReadResultTool
  }

  /** Whether `read_result` is the executor's own: a registered tool of that name replaces it. */
  get readsResults(): boolean {
    return this.registry.get(readResultName) === undefined
  }

  /** Offers `read_result` to all agents from here on. */
  offerReadResult(): void {
    if (this.offersReadResult) return
    this.offersReadResult = true
    for (const agentId of [...this.listeners.keys()]) this.changed(agentId)
  }

  /**
   * Sets an agent's active tools. Throws for an unregistered name. The executor's own tools cannot be set: each is offered whenever it
   * can be called.
   */
  setActive(agentId: string, names: Iterable<string>): void {
    const active = new Set(names)
    active.delete(resolveName)
    if (this.readsResults) active.delete(readResultName)
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
    // A separate entry, because the same function may be added twice.
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

  /** The tool that this agent calls by this name. `version`: the one that a stored call began with; if it is gone, the present one. */
  toolFor(agentId: string, name: string, version?: string): Tool<unknown> | undefined {
    if (name === resolveName) return this.resolveTool
    if (name === readResultName && this.readsResults) return this.readResultTool
    if (name === undoName && this.registry.get(undoName) === undefined) return undoTool as Tool<unknown>
    const active = this.active.get(agentId)
    if (active !== undefined && !active.has(name)) return undefined
    return this.registry.get(name, version) ?? this.registry.get(name)
  }

  definitions(agentId: string, canResolve: boolean, canRead: boolean): Array<ToolDefinition> {
    const active = this.active.get(agentId)
    const definitions = this.registry.definitions(
      (tool) => tool.name !== resolveName && (active === undefined ? !tool.hidden : active.has(tool.name)),
    )
    if ((canRead || this.offersReadResult) && this.readsResults) definitions.push(bare(this.readResultTool))
    if (canResolve) definitions.push(bare(this.resolveTool))
    return definitions
  }
}

const bare = ({ name, description, parameters }: Tool<unknown>): ToolDefinition => ({
  name,
  description,
  parameters,
})
