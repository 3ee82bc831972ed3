/**
 * Answers SpawnAgent, ListAgents and GetAgent for hosts that can run an agent. Each sub-agent has its own agent id, and so
 * its own lane, on the executor of its parent; it can use no more tools than the parent, and cannot start agents.
 */
import { setMaxListeners } from "node:events"
import { subagentTools } from "../../impls/presets.ts"
import type { ToolEvent } from "../../model/event.ts"
import { toCount } from "../../model/got.ts"
import type { EffectOf } from "../../model/host-effect.ts"
import type { Delegates } from "../../model/options.ts"
import type { ToolExecutor } from "../../pipeline/executor.ts"
import { messageOf } from "../../text/message-of.ts"
import { HeadAndTail, maxOutputBytes } from "../../text/truncation.ts"
import type { AgentRun, RunAgent } from "./agent-run.ts"
import { toLabel, uniqueLabel } from "./labels.ts"
import { type Agent, Roster, snapshot } from "./roster.ts"
import { type AgentStatus, describeAgents, describeEnd, formatElapsed, type SubAgent } from "./sub-agent.ts"

/** The options of `SubAgents`. */
export interface SubAgentsOptions {
  /** The names of the tools that an agent may use, if its parent may. Default: those of `subagentTools()`. */
  readonly tools?: Iterable<string>
  /** How many agents work at once; a further one is refused. Default 8. */
  readonly maxRunning?: number
  /** How many ended agents are kept until they are taken; the first to end are dropped first. Default 100. */
  readonly maxEnded?: number
  /**
   * Called with the events of the agents' calls and the agent's label: answer approvals and effects here, like those of
   * `executor.events`. Without it gates are denied, and effects that no delegate answers fail.
   */
  readonly onEvent?: (event: ToolEvent, label: string) => unknown
  /** Called once for each agent that has ended. */
  readonly onEnd?: (agent: SubAgent) => unknown
}

/** Which agents to cancel, and why. */
export interface CancelAgentsOptions {
  /** The agent that started them. Default: any. */
  readonly agentId?: string
  /** Default: all agents. */
  readonly label?: string
  /** Kept as their last message. */
  readonly reason?: string
}

/**
 * @example
 * const subAgents = new SubAgents(runAgent, { onEvent: (event, label) => screen.show(event, label) })
 * const executor = new ToolExecutor(registry, { delegates: { ...noIde, ...subAgents.delegates } })
 * subAgents.attach(executor)
 */
export class SubAgents {
  /** For the executor's `delegates`. */
  readonly delegates = {
    SpawnAgent: (effect, { agentId }) => this.spawn(effect, agentId),
    ListAgents: (_effect, { agentId }) => describeAgents(this.list(agentId)),
    GetAgent: ({ label }, { agentId }) => this.collect(label, agentId),
  } satisfies Delegates
  private readonly run: RunAgent
  private readonly options: SubAgentsOptions
  private readonly maxRunning: number
  private readonly toolNames: ReadonlySet<string>
  private readonly roster: Roster
  private executor: ToolExecutor | undefined
  private count = 0

  /** Throws a TypeError for a limit that is not a positive integer. */
  constructor(run: RunAgent, options: SubAgentsOptions = {}) {
    this.run = run
    this.options = options
    this.maxRunning = toCount("maxRunning", options.maxRunning, 8)
    this.toolNames = new Set(options.tools ?? subagentTools().map((tool) => tool.name))
    this.roster = new Roster(toCount("maxEnded", options.maxEnded, 100))
  }

  /** Sets the executor that runs the agents' calls: the one with these `delegates`. */
  attach(executor: ToolExecutor): void {
    this.executor = executor
  }

  /** Returns all agents that were not taken, or those that one agent has started, oldest first. */
  list(parentId?: string): Array<SubAgent> {
    const agents = [...this.roster].map(snapshot)
    return parentId === undefined ? agents : agents.filter((agent) => agent.parentId === parentId)
  }

  get(label: string): SubAgent | undefined {
    const agent = this.roster.get(label)
    return agent && snapshot(agent)
  }

  /** Returns an ended agent and forgets it, which frees its label. Undefined for an unknown or a running agent. */
  take(label: string): SubAgent | undefined {
    const agent = this.roster.get(label)
    if (agent === undefined || agent.status === "running") return undefined
    this.roster.drop(agent)
    return snapshot(agent)
  }

  /** Resolves once the agent has ended, without taking it; undefined for an unknown label. */
  wait(label: string): Promise<SubAgent | undefined> {
    const agent = this.roster.get(label)
    if (agent === undefined || agent.status !== "running") return Promise.resolve(agent && snapshot(agent))
    return new Promise((resolve) => agent.waiters.push(resolve))
  }

  /**
   * The label of the agent with an event's `agentId`; undefined for other agents. For functions that pass their calls to the
   * executor themselves: those events are among the executor's.
   */
  labelOf(agentId: string): string | undefined {
    return this.roster.byId(agentId)?.label
  }

  /**
   * Ends agents, with all their calls. Returns how many. A hard cancel of the parent, and the executor's shutdown, end
   * agents too.
   */
  cancel({ agentId, label, reason = "Cancelled" }: CancelAgentsOptions = {}): number {
    const cancelled = [...this.roster].filter(
      (agent) =>
        agent.status === "running" &&
        (agentId === undefined || agent.parentId === agentId) &&
        (label === undefined || agent.label === label),
    )
    for (const agent of cancelled) this.end(agent, "cancelled", reason)
    return cancelled.length
  }

  private spawn({ task, label, context }: EffectOf<"SpawnAgent">, parentId: string): string {
    const { executor } = this
    if (executor === undefined) throw new Error("SubAgents has no executor: call its `attach` first")
    // The parent can be an agent that has ended, and is no longer known.
    if (isSpawnedId(parentId)) {
      throw new Error("An agent that was spawned cannot spawn others. Do the task yourself.")
    }
    if (this.roster.working >= this.maxRunning) {
      throw new Error(`Too many agents are at work (at most ${this.maxRunning}). Wait until one has ended.`)
    }
    executor.agent(parentId).signal.throwIfAborted()
    this.count += 1
    const wanted = toLabel(label ?? "") || `agent-${this.count}`
    const agent: Agent = {
      label: uniqueLabel(wanted, (other) => this.roster.get(other) !== undefined),
      agentId: spawnedId(parentId, this.count),
      parentId,
      controller: patientController(),
      waiters: [],
      startedAt: performance.now(),
      endedAt: undefined,
      status: "running",
      message: "",
    }
    const allowed = executor
      .agent(parentId)
      .definitions()
      .map((tool) => tool.name)
    executor.agent(agent.agentId).setActiveTools(allowed.filter((name) => this.toolNames.has(name)))
    this.roster.add(agent)
    this.endWith(executor, agent)
    // The agent's function can make any request, so it is called after spawning is complete.
    queueMicrotask(() => this.work(agent, task, this.runOf(executor, agent, context)))
    return `Spawned agent "${agent.label}". It works while you go on; get_agent gives its answer once it has ended.`
  }

  private collect(wanted: string, parentId: string): string {
    const label = toLabel(wanted)
    const agent = this.roster.get(label)
    if (agent?.parentId !== parentId) {
      const labels = this.list(parentId).map((other) => other.label)
      const others = labels.length === 0 ? "There are no agents." : `Agents: ${labels.join(", ")}`
      throw new Error(`Agent ${label} not found. ${others}`)
    }
    const taken = this.take(label)
    if (taken !== undefined) return describeEnd(taken)
    return `Agent ${label} is still running (${formatElapsed(snapshot(agent).elapsed)}). Ask again later.`
  }

  private runOf(executor: ToolExecutor, agent: Agent, context: string | undefined): AgentRun {
    const { agentId, label, controller } = agent
    const { signal } = controller
    const { onEvent } = this.options
    const tell = onEvent && ((event: ToolEvent) => onEvent(event, label))
    return {
      label,
      context,
      agentId,
      signal,
      get tools() {
        return signal.aborted ? [] : executor.agent(agentId).definitions()
      },
      async call(call) {
        const result = await executor.run({ ...call, agentId }, tell, { signal })
        signal.throwIfAborted()
        return result
      },
    }
  }

  /** Ends the agent with a hard cancel of its parent or of its own calls, and with the executor's shutdown. */
  private endWith(executor: ToolExecutor, agent: Agent): void {
    const { agentId, parentId, controller } = agent
    for (const signal of [executor.agent(parentId).signal, executor.agent(agentId).signal]) {
      const cancel = () => this.end(agent, "cancelled", messageOf(signal.reason))
      signal.addEventListener("abort", cancel, { once: true, signal: controller.signal })
    }
  }

  private async work(agent: Agent, task: string, run: AgentRun): Promise<void> {
    try {
      // The agent may have been cancelled before it began.
      if (agent.status === "running") this.end(agent, "complete", lastMessage(await this.run(task, run)))
    } catch (error) {
      this.end(agent, "error", messageOf(error))
    }
    this.roster.leave(agent)
    this.executor!.agent(agent.agentId).forget()
  }

  /** Does nothing to an agent that has ended: a cancelled agent stays cancelled, whatever its function does. */
  private end(agent: Agent, status: AgentStatus, message: string): void {
    if (agent.status !== "running") return
    agent.status = status
    agent.endedAt = performance.now()
    agent.message = bounded(message)
    this.stopCalls(agent)
    this.roster.keep(agent)
    const told = snapshot(agent)
    for (const resolve of agent.waiters) resolve(told)
    void this.tellEnd(told)
  }

  private async tellEnd(agent: SubAgent): Promise<void> {
    try {
      await this.options.onEnd?.(agent)
    } catch {
      // An error of the listener must not affect the agent.
    }
  }

  /** Ends calls, tasks and previews of the agent, whose results nobody can use. */
  private stopCalls({ agentId, controller, status, message }: Agent): void {
    const executor = this.executor!
    const reason = status === "cancelled" ? message : "Cancelled: the agent has ended"
    // Before the signal, which would end the calls one by one and start each queued one.
    executor.cancel({ agentId, reason })
    controller.abort(new DOMException(reason, "AbortError"))
    for (const call of executor.inspect()) {
      if (call.agentId === agentId) executor.cancelCall(call.callId, reason)
    }
    for (const { id } of executor.tasks.list(agentId)) {
      void executor.tasks.wait(id).then(() => executor.tasks.take(id))
    }
    executor.agent(agentId).pendingActions.clear()
    // A cancelled function may try further calls: without tools they fail.
    executor.agent(agentId).setActiveTools([])
  }
}

const spawnedId = (parentId: string, count: number): string => `${parentId}/sub-agent-${count}`

const isSpawnedId = (agentId: string): boolean => /\/sub-agent-\d+$/.test(agentId)

/** Each running call adds a listener, which is not a leak. */
const patientController = (): AbortController => {
  const controller = new AbortController()
  setMaxListeners(0, controller.signal)
  return controller
}

/** The function may be JavaScript, so its result is checked. */
const lastMessage = (message: unknown): string => {
  if (typeof message === "string") return message
  throw new TypeError(`The agent's function gave no text but ${message === null ? "null" : typeof message}`)
}

const bounded = (message: string): string => {
  const text = new HeadAndTail(maxOutputBytes)
  text.push(message)
  return text.render(maxOutputBytes)
}
