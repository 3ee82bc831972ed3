/**
 * The previews of an agent that wait to be applied or discarded: a stack, latest on top. An action is claimed by one
 * `resolve` at a time and comes back to its place if that fails, so it is applied at most once and never lost.
 */
import { resolveName } from "../../resolve/definition.ts"
import * as toolChoice from "../../resolve/tool-choice.ts"
import type { Journal } from "../call/journal.ts"
import type { ToolCall } from "../model/call.ts"
import { expectFunction, expectText } from "../model/got.ts"
import type { EffectHandler } from "../model/handler.ts"
import type { ActionFunction, PendingAction, PendingActions, PushedAction } from "../model/pending-actions.ts"
import type { StagedAction } from "../model/staged-action.ts"
import { Step } from "../model/step.ts"

/** What the store of pending actions is made with. */
export interface ActionStoreOptions {
  readonly max: number
  readonly choice: toolChoice.ResolveChoice
  readonly nextActionId: () => string
  /** Runs the finally handlers of an action that ended without having been applied or discarded. */
  readonly dropped: (agentId: string, action: StagedAction) => void
  /** A host or a foreign tool pushed an action; what pipelines stage they tell themselves. */
  readonly pushed: (agentId: string, action: StagedAction) => void
  /** Where the actions are kept. */
  readonly journal?: Pick<Journal, "staged"> | undefined
  /** There may be something to resolve where there was nothing, or nothing any more. */
  readonly changed: (agentId: string) => void
}

interface AgentActions {
  /** From the oldest to the latest. A claimed one keeps its place, for it may come back. */
  stack: Array<StagedAction>
  readonly claimed: Set<StagedAction>
  turn: toolChoice.TurnState
}

/** The pending actions of all agents. An agent without any takes no room. */
export class ActionStore {
  private readonly options: ActionStoreOptions
  private readonly agents = new Map<string, AgentActions>()
  private closed = false

  constructor(options: ActionStoreOptions) {
    this.options = options
  }

  /** Whether no agent has any. */
  get isEmpty(): boolean {
    return this.agents.size === 0
  }

  /** What waits, from the oldest to the latest; not what is claimed. */
  open(agentId: string): ReadonlyArray<StagedAction> {
    const agent = this.agents.get(agentId)
    return agent === undefined ? [] : agent.stack.filter((action) => !agent.claimed.has(action))
  }

  /** The agents that have any. */
  agentIds(): Array<string> {
    return [...this.agents.keys()]
  }

  /** The latest that waits: what `resolve` takes next. */
  latest(agentId: string): StagedAction | undefined {
    const agent = this.agents.get(agentId)
    return agent?.stack.findLast((action) => !agent.claimed.has(action))
  }

  /** Idle also while all that there is, is claimed: there is nothing that a turn could resolve. */
  turn(agentId: string): toolChoice.TurnState {
    return this.latest(agentId) === undefined ? toolChoice.idle : this.agents.get(agentId)!.turn
  }

  setTurn(agentId: string, turn: toolChoice.TurnState): void {
    const agent = this.agents.get(agentId)
    if (agent !== undefined) agent.turn = turn
  }

  /** Calls were enqueued, and nobody said that they are a turn. */
  calledOutsideTurns(calls: ReadonlyArray<ToolCall>): void {
    for (const { agentId, name } of calls) {
      if (name !== resolveName) this.setTurn(agentId, toolChoice.unwatched(this.turn(agentId)))
    }
  }

  get tooMany(): string {
    return `Too many pending actions: ${this.options.max} wait already. Call the \`resolve\` tool to apply or discard some first.`
  }

  /** Undefined where the agent has too many; claimed ones count. */
  stage(agentId: string, action: Omit<StagedAction, "actionId">): StagedAction | undefined {
    let agent = this.agents.get(agentId)
    if (agent !== undefined && agent.stack.length >= this.options.max) return undefined
    if (agent === undefined) {
      agent = { stack: [], claimed: new Set(), turn: toolChoice.idle }
      this.agents.set(agentId, agent)
    }
    const staged: StagedAction = { actionId: this.options.nextActionId(), ...action }
    agent.stack.push(staged)
    agent.turn = toolChoice.pending(this.options.choice)
    this.options.changed(agentId)
    this.options.journal?.staged(agentId)
    return staged
  }

  /** All of an agent, from the oldest to the latest, also what is claimed. */
  all(agentId: string): ReadonlyArray<StagedAction> {
    return this.agents.get(agentId)?.stack ?? []
  }

  /** Claims the action of a restored call again. Throws where it is not pending. */
  reclaim(agentId: string, actionId: string): StagedAction {
    const agent = this.agents.get(agentId)
    const action = agent?.stack.find((other) => other.actionId === actionId)
    if (action === undefined) throw new Error(`The action "${actionId}" is not pending any more`)
    agent!.claimed.add(action)
    return action
  }

  /** Stages what comes from outside a pipeline, and tells of it. Throws where the agent has too many. */
  push(agentId: string, action: Omit<StagedAction, "actionId">): StagedAction {
    if (this.closed) throw new Error("The executor was shut down: make a new one")
    const staged = this.stage(agentId, action)
    if (staged === undefined) throw new Error(this.tooMany)
    this.options.pushed(agentId, staged)
    return staged
  }

  /** The action that has this id, or was staged by the call of this id, and waits. */
  find(id: string): StagedAction | undefined {
    for (const { stack, claimed } of this.agents.values()) {
      const found = stack.find(
        (action) => !claimed.has(action) && (action.actionId === id || action.staging?.call.callId === id),
      )
      if (found !== undefined) return found
    }
    return undefined
  }

  /** Puts back what was written down; a claimed one is its `resolve` call's. Throws where the agent has too many, or has it. */
  putBack(agentId: string, action: StagedAction, isClaimed: boolean): void {
    const { actionId } = action
    const has = this.agents.get(agentId)?.stack.some((other) => other.actionId === actionId)
    if (has === true) throw new Error(`Cannot restore "${actionId}": it is pending already`)
    const staged = this.stage(agentId, action)
    if (staged === undefined) throw new Error(this.tooMany)
    if (isClaimed) this.agents.get(agentId)!.claimed.add(staged)
  }

  /** Takes the latest for one `resolve`, which restores or settles it. */
  claim(agentId: string): StagedAction | undefined {
    const action = this.latest(agentId)
    if (action === undefined) return undefined
    this.agents.get(agentId)!.claimed.add(action)
    this.options.changed(agentId)
    return action
  }

  /** It was not resolved: it is pending again, under its id, where it stood. Does nothing to one that was settled. */
  restore(agentId: string, action: StagedAction): void {
    const agent = this.agents.get(agentId)
    if (!agent?.claimed.delete(action)) return
    agent.turn = toolChoice.pending(this.options.choice)
    this.options.changed(agentId)
  }

  /** It was applied or discarded. */
  settle(agentId: string, action: StagedAction): void {
    const agent = this.agents.get(agentId)
    if (agent === undefined || !agent.claimed.delete(action)) return
    agent.stack.splice(agent.stack.lastIndexOf(action), 1)
    agent.turn = toolChoice.pending(this.options.choice)
    if (agent.stack.length === 0) this.agents.delete(agentId)
    this.options.journal?.staged(agentId)
  }

  /** Drops what waits; what is claimed ends, or comes back, on its own. */
  clear(agentId: string): void {
    const agent = this.agents.get(agentId)
    if (agent === undefined) return
    const dropped = this.open(agentId)
    agent.stack = agent.stack.filter((action) => agent.claimed.has(action))
    if (agent.stack.length === 0) this.agents.delete(agentId)
    for (const action of dropped) this.options.dropped(agentId, action)
    this.options.changed(agentId)
    this.options.journal?.staged(agentId)
  }

  /** They are pending in another process. Nothing can be pushed any more. */
  leave(): void {
    this.closed = true
    this.agents.clear()
  }

  /** Drops all, also what is claimed by a `resolve` that was left behind. Nothing can be pushed any more. */
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
