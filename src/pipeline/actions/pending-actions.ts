/**
 * The previews of an agent that wait to be applied or discarded: a stack, latest on top. One call of `resolve` at a time claims an
 * action. If that call fails, the action is pending again at its place, so that each action is applied at most once and never lost.
 */

import type { ToolCall } from "../../model/call.ts"
import { expectFunction, expectText } from "../../model/got.ts"
import type { EffectHandler } from "../../model/handler.ts"
import type {
  ActionFunction,
  PendingAction,
  PendingActions,
  PushedAction,
} from "../../model/pending-actions.ts"
import type { StagedAction } from "../../model/staged-action.ts"
import { Step } from "../../model/step.ts"
import { resolveName } from "../../resolve/definition.ts"
import * as toolChoice from "../../resolve/tool-choice.ts"
import type { Journal } from "../call/journal.ts"

/** What the store of pending actions needs of its executor. */
export interface ActionHost {
  readonly settings: { readonly maxPendingActions: number; readonly resolveChoice: toolChoice.ResolveChoice }
  /** Stores the actions of durable executors. */
  readonly journal: Pick<Journal, "staged"> | undefined
  nextActionId(): string
  /** Runs the finally handlers of an action that was dropped. */
  actionDropped(agentId: string, action: StagedAction): void
  /** Called when a host or a foreign tool pushed an action. Calls emit the events of the actions that they stage. */
  actionPushed(agentId: string, action: StagedAction): void
  /** Called when an agent's `resolve` tool may have to be added or removed. */
  actionsChanged(agentId: string): void
}

interface AgentActions {
  /** From the oldest to the latest. A claimed action keeps its place, because it may become pending again. */
  stack: Array<StagedAction>
  readonly claimed: Set<StagedAction>
  turn: toolChoice.TurnState
}

/** The pending actions of all agents. Agents without actions have no entry. */
export class ActionStore {
  private readonly host: ActionHost
  private readonly agents = new Map<string, AgentActions>()
  private closed = false

  constructor(host: ActionHost) {
    this.host = host
  }

  /** Whether no agent has actions. */
  get isEmpty(): boolean {
    return this.agents.size === 0
  }

  /** An agent's actions that are not claimed, from the oldest to the latest. */
  open(agentId: string): ReadonlyArray<StagedAction> {
    const agent = this.agents.get(agentId)
    return agent === undefined ? [] : agent.stack.filter((action) => !agent.claimed.has(action))
  }

  /** The agents that have actions. */
  agentIds(): Array<string> {
    return [...this.agents.keys()]
  }

  /** The latest action that is not claimed: `resolve` claims it next. */
  latest(agentId: string): StagedAction | undefined {
    const agent = this.agents.get(agentId)
    return agent?.stack.findLast((action) => !agent.claimed.has(action))
  }

  /** The state of an agent's turn. Idle while all actions are claimed: a turn could resolve none of them. */
  turn(agentId: string): toolChoice.TurnState {
    return this.latest(agentId) === undefined ? toolChoice.idle : this.agents.get(agentId)!.turn
  }

  setTurn(agentId: string, turn: toolChoice.TurnState): void {
    const agent = this.agents.get(agentId)
    if (agent !== undefined) agent.turn = turn
  }

  /** Notes calls that were enqueued outside of a turn. */
  calledOutsideTurns(calls: ReadonlyArray<ToolCall>): void {
    for (const { agentId, name } of calls) {
      if (name !== resolveName) this.setTurn(agentId, toolChoice.unwatched(this.turn(agentId)))
    }
  }

  get tooMany(): string {
    return `Too many pending actions: ${this.host.settings.maxPendingActions} wait already. Call the \`resolve\` tool to apply or discard some first.`
  }

  /** Adds an action. Returns undefined if the agent has too many, claimed actions included. */
  stage(agentId: string, action: Omit<StagedAction, "actionId">): StagedAction | undefined {
    let agent = this.agents.get(agentId)
    if (agent !== undefined && agent.stack.length >= this.host.settings.maxPendingActions) return undefined
    if (agent === undefined) {
      agent = { stack: [], claimed: new Set(), turn: toolChoice.idle }
      this.agents.set(agentId, agent)
    }
    const staged: StagedAction = { actionId: this.host.nextActionId(), ...action }
    agent.stack.push(staged)
    agent.turn = toolChoice.pending(this.host.settings.resolveChoice)
    this.host.actionsChanged(agentId)
    this.host.journal?.staged(agentId)
    return staged
  }

  /** All actions of an agent, also claimed ones, from the oldest to the latest. */
  all(agentId: string): ReadonlyArray<StagedAction> {
    return this.agents.get(agentId)?.stack ?? []
  }

  /** Claims an action again for a restored call. Throws if the action is not pending. */
  reclaim(agentId: string, actionId: string): StagedAction {
    const agent = this.agents.get(agentId)
    const action = agent?.stack.find((other) => other.actionId === actionId)
    if (action === undefined) throw new Error(`The action "${actionId}" is not pending any more`)
    agent!.claimed.add(action)
    return action
  }

  /** Stages an action that a host or a foreign tool pushed, and emits its event. Throws if the agent has too many. */
  push(agentId: string, action: Omit<StagedAction, "actionId">): StagedAction {
    if (this.closed) throw new Error("The executor was shut down: make a new one")
    const staged = this.stage(agentId, action)
    if (staged === undefined) throw new Error(this.tooMany)
    this.host.actionPushed(agentId, staged)
    return staged
  }

  /** The unclaimed action with this id, or staged by the call with this id. */
  find(id: string): StagedAction | undefined {
    for (const { stack, claimed } of this.agents.values()) {
      const found = stack.find(
        (action) => !claimed.has(action) && (action.actionId === id || action.staging?.call.callId === id),
      )
      if (found !== undefined) return found
    }
    return undefined
  }

  /** Adds a restored action, claimed or not. Throws if the agent has too many actions, or already has this one. */
  putBack(agentId: string, action: StagedAction, isClaimed: boolean): void {
    const { actionId } = action
    const has = this.agents.get(agentId)?.stack.some((other) => other.actionId === actionId)
    if (has === true) throw new Error(`Cannot restore "${actionId}": it is pending already`)
    const staged = this.stage(agentId, action)
    if (staged === undefined) throw new Error(this.tooMany)
    if (isClaimed) this.agents.get(agentId)!.claimed.add(staged)
  }

  /** Claims the latest action for a call of `resolve`, which has to restore or settle it. */
  claim(agentId: string): StagedAction | undefined {
    const action = this.latest(agentId)
    if (action === undefined) return undefined
    this.agents.get(agentId)!.claimed.add(action)
    this.host.actionsChanged(agentId)
    return action
  }

  /** Makes a claimed action pending again, with the same id and place. Does nothing for a settled action. */
  restore(agentId: string, action: StagedAction): void {
    const agent = this.agents.get(agentId)
    if (!agent?.claimed.delete(action)) return
    agent.turn = toolChoice.pending(this.host.settings.resolveChoice)
    this.host.actionsChanged(agentId)
  }

  /** Removes a claimed action that was applied or discarded. */
  settle(agentId: string, action: StagedAction): void {
    if (this.agents.get(agentId)?.claimed.delete(action) === true) this.remove(agentId, action)
  }

  /** Removes an action, claimed or not, without running anything. */
  takeOut(agentId: string, action: StagedAction): void {
    this.agents.get(agentId)?.claimed.delete(action)
    this.remove(agentId, action)
    this.host.actionsChanged(agentId)
  }

  private remove(agentId: string, action: StagedAction): void {
    const agent = this.agents.get(agentId)
    if (agent === undefined) return
    agent.stack.splice(agent.stack.lastIndexOf(action), 1)
    agent.turn = toolChoice.pending(this.host.settings.resolveChoice)
    if (agent.stack.length === 0) this.agents.delete(agentId)
    this.host.journal?.staged(agentId)
  }

  /** Drops an agent's unclaimed actions. Claimed actions are left to their `resolve` calls. */
  clear(agentId: string): void {
    const agent = this.agents.get(agentId)
    if (agent === undefined) return
    const dropped = this.open(agentId)
    agent.stack = agent.stack.filter((action) => agent.claimed.has(action))
    if (agent.stack.length === 0) this.agents.delete(agentId)
    for (const action of dropped) this.host.actionDropped(agentId, action)
    this.host.actionsChanged(agentId)
    this.host.journal?.staged(agentId)
  }

  /** Forgets all actions, because another process continues them. Later pushes throw. */
  leave(): void {
    this.closed = true
    this.agents.clear()
  }

  /** Drops all actions, also those that a `resolve` call which did not stop in time has claimed. Later pushes throw. */
  close(): void {
    this.closed = true
    for (const [agentId, agent] of [...this.agents.entries()]) {
      agent.claimed.clear()
      this.clear(agentId)
    }
  }
}

/** The pending actions of one agent: a view of the store. */
export class AgentPendingActions implements PendingActions {
  private readonly store: ActionStore
  private readonly agentId: string

  constructor(store: ActionStore, agentId: string) {
    this.store = store
    this.agentId = agentId
  }

  list(): Array<PendingAction> {
    return this.store.open(this.agentId).map(shown)
  }

  peek(): PendingAction | undefined {
    const action = this.store.latest(this.agentId)
    return action && shown(action)
  }

  get hasPending(): boolean {
    return this.store.latest(this.agentId) !== undefined
  }

  push(action: PushedAction): string {
    const { label, details, apply, reject } = action ?? {}
    if (typeof label !== "string" || typeof apply !== "function") {
      throw new TypeError("Expected a pending action to have a string `label` and a function `apply`")
    }
    expectText("sourceToolName", action.sourceToolName, " of a pending action")
    expectFunction("reject", reject, " of a pending action")
    const sourceToolName = action.sourceToolName ?? "custom_tool"
    const staged = this.store.push(this.agentId, {
      label,
      sourceToolName,
      details,
      source: { name: sourceToolName, params: {} },
      staging: undefined,
      output: undefined,
      memory: undefined,
      rest: [{ kind: "handler", name: "apply", handler: callHandler("apply", apply) }],
      onDiscard: reject ? callHandler("reject", reject) : undefined,
      finals: [],
    })
    return staged.actionId
  }

  clear(): void {
    this.store.clear(this.agentId)
  }
}

const shown = ({ actionId, label, sourceToolName, details }: StagedAction): PendingAction => ({
  actionId,
  label,
  sourceToolName,
  ...(details !== undefined && { details }),
})

const callHandler = (name: string, call: ActionFunction): EffectHandler<unknown> => ({
  name,
  call: async (context) => {
    const { resolution } = context
    const result = await call(resolution?.reason ?? "", resolution?.extra, context)
    return result === undefined || result === null ? Step.Continue : Step.Output(result)
  },
})
