/** What belongs to one agent: a view of its executor, made on demand. */
import { type ResolveParams, resolveName } from "../resolve/definition.ts"
import { type ResolveReminder, resolveReminder, withheldMessage } from "../resolve/reminder.ts"
import * as toolChoice from "../resolve/tool-choice.ts"
import type { StandingResolveHandler } from "./call/resolver.ts"
import type { Engine } from "./engine.ts"
import { CallbackSink } from "./events/callback-sink.ts"
import { shutdownReason, submit } from "./intake.ts"
import type { ToolCall, ToolCallInput } from "./model/call.ts"
import type { ToolEvent, ToolResult } from "./model/event.ts"
import { expectOptions, expectSignalOptions, expectText, got } from "./model/got.ts"
import { failed, type Stopped } from "./model/outcome.ts"
import type { PendingActions } from "./model/pending-actions.ts"
import type { ToolDefinition } from "./model/registry.ts"
import type { Tool } from "./model/tool.ts"
import { type Placement, runToResult } from "./one-run.ts"
import { AgentPendingActions } from "./stores/pending-actions.ts"

/**
 * A signal that ends what was begun. The run of one call rejects with an `AbortError` once the call is over; `runTurn` gives
 * a result for each call all the same.
 */
export interface SignalOption {
  readonly signal?: AbortSignal | undefined
}

/** What an agent's next turn should or must do about a pending action. */
export interface ToolChoice {
  /** `auto`: the choice is free again, and the action still pending. */
  readonly mode: toolChoice.ToolChoiceMode
  readonly toolName: "resolve"
  readonly reminder: ResolveReminder
}

/** A call of a turn: its agent is the turn's. */
export type TurnCall = Omit<ToolCallInput, "agentId">

type OnEvent = ((event: ToolEvent) => unknown) | undefined

/** A turn of an agent's model whose calls come one by one, as the loops of SDKs give them. */
export interface AgentTurn {
  /**
   * Runs one of its calls, as `ToolExecutor.run` does: it rejects with an `AbortError` if `signal` is aborted. The first one
   * decides whether the turn is withheld. Throws at once for what is no call.
   */
  run(call: TurnCall, onEvent?: (event: ToolEvent) => unknown, options?: SignalOption): Promise<ToolResult>
  /** Nothing more is called in it. A turn in which nothing was called counts too. */
  end(): void
}

/** One agent of an executor: its tools, its pending actions, its turns. */
export class ExecutorAgent {
  readonly agentId: string
  readonly #engine: Engine

  constructor(agentId: string, engine: Engine) {
    expectText("agentId", agentId)
    this.agentId = agentId
    this.#engine = engine
  }

  /** The tools that its model may be told of, and `resolve` while that can be called. */
  definitions(): Array<ToolDefinition> {
    return this.#engine.definitions(this.agentId)
  }

  /** Which tools it may call. Default: all, with hidden ones left out of its definitions. Throws for a name that is not registered. */
  setActiveTools(names: Iterable<string>): void {
    this.#engine.tools.setActive(this.agentId, names)
  }

  /**
   * Calls the listener whenever its `definitions` may be others, until the function that it gives is called: a tool came or
   * went, others are active, there is something to resolve, or nothing any more.
   */
  onDefinitionsChange(listener: () => void): () => void {
    return this.#engine.tools.onChange(this.agentId, listener)
  }

  /** The tool that a call of it means, `resolve` included; for hosts that draw calls with the tool's renderers. */
  tool(name: string): Tool<unknown> | undefined {
    return this.#engine.tools.toolFor(this.agentId, name)
  }

  /** Aborted by a hard cancel of it, and by shutdown; a new one after that. For what works for it without being a call. */
  get signal(): AbortSignal {
    const { closing, signals } = this.#engine
    if (!closing) return signals.of(this.agentId)
    return AbortSignal.abort(new DOMException(shutdownReason, "AbortError"))
  }

  /** Forgets what was set for an agent that is no more: its active tools, its standing handler, its signal. */
  forget(): void {
    const { standingHandlers, tools, signals } = this.#engine
    standingHandlers.delete(this.agentId)
    tools.forget(this.agentId)
    signals.forget(this.agentId)
  }

  /** Hard: ends all its foreground calls, queued, running and waiting. Gives how many. */
  cancel(options: { readonly reason?: string } = {}): number {
    expectOptions("cancel", options, ["reason"])
    return this.#engine.cancelHard({ agentId: this.agentId, reason: options.reason })
  }

  /** Its previews that wait to be applied or discarded. */
  get pendingActions(): PendingActions {
    return new AgentPendingActions(this.#engine.actions, this.agentId)
  }

  /**
   * Applies or discards its latest pending action, outside its lane. Without `onEvent`, gates are denied and effects fail.
   * Rejects with an `AbortError` if `signal` is aborted; the action is pending again then.
   */
  resolve(
    request: ResolveParams,
    options: SignalOption & { readonly onEvent?: OnEvent } = {},
  ): Promise<ToolResult> {
    expectSignalOptions("resolve", options, ["signal", "onEvent"])
    const { agentId } = this
    const call = this.#engine.toToolCall({ name: resolveName, params: request, agentId })
    return this.#run(call, options.onEvent, options, { inLane: false })
  }

  /** Who answers `resolve` while nothing is pending, such as a plan that waits for its approval. */
  setStandingResolveHandler(handler: StandingResolveHandler | undefined): void {
    if (handler !== undefined && typeof handler !== "function")
      throw new TypeError(
        `Expected a standing handler to be a function, or undefined to end it, ${got(handler)}`,
      )
    const { standingHandlers, tools } = this.#engine
    if (handler === undefined) standingHandlers.delete(this.agentId)
    else standingHandlers.set(this.agentId, handler)
    tools.changed(this.agentId)
  }

  /** What its next turn should or must do; undefined while nothing is pending. */
  toolChoice(): ToolChoice | undefined {
    const { actions } = this.#engine
    const mode = toolChoice.modeOf(actions.turn(this.agentId))
    const latest = actions.latest(this.agentId)
    if (mode === undefined || latest === undefined) return undefined
    return { mode, toolName: resolveName, reminder: resolveReminder(latest.sourceToolName) }
  }

  /**
   * Queues what its model called in one turn, also nothing. While a preview waits, a turn that does anything but resolve
   * it is withheld, and the choice is forced. Gives the call ids. Throws at once for what is no call, and after shutdown.
   */
  enqueueTurn(calls: ReadonlyArray<TurnCall>): Array<string> {
    const toolCalls = this.#callsOf(calls, "enqueueTurn")
    this.#engine.assertOpen()
    const refusal = this.#takeTurn(toolCalls)
    const to = { sink: this.#engine.events, refusal }
    return toolCalls.map((call) => submit(this.#engine, call, to).toolCall.callId)
  }

  /**
   * The same turn, as results in the order of its calls. Its events go to `onEvent` alone; without one, gates are denied
   * and effects fail. An aborted `signal` cancels the calls that have not ended: the turn resolves all the same once they are
   * over, for a model is owed a result for each call.
   */
  async runTurn(
    calls: ReadonlyArray<TurnCall>,
    onEvent?: (event: ToolEvent) => unknown,
    options: SignalOption = {},
  ): Promise<Array<ToolResult>> {
    expectSignalOptions("runTurn", options)
    const toolCalls = this.#callsOf(calls, "runTurn")
    const refusal = this.#takeTurn(toolCalls)
    const runs = toolCalls.map((call) => this.#run(call, onEvent, options, { refusal, settles: true }))
    await Promise.allSettled(runs)
    return Promise.all(runs)
  }

  /** The same turn, for hosts that are given its calls one by one. End it before the next one begins. */
  beginTurn(): AgentTurn {
    let taken: { readonly refusal: Stopped | undefined } | undefined
    return {
      run: (call, onEvent, options = {}) => {
        expectSignalOptions("run", options)
        const toolCalls = this.#callsOf([call], "run")
        taken ??= { refusal: this.#takeTurn(toolCalls) }
        return this.#run(toolCalls[0]!, onEvent, options, taken)
      },
      end: () => {
        taken ??= { refusal: this.#takeTurn([]) }
      },
    }
  }

  #run(call: ToolCall, onEvent: OnEvent, { signal }: SignalOption, place: Placement): Promise<ToolResult> {
    return runToResult(this.#engine, call, new CallbackSink(onEvent, this.#engine.stamps), signal, place)
  }

  #callsOf(calls: ReadonlyArray<TurnCall>, method: string): Array<ToolCall> {
    if (!Array.isArray(calls)) throw new TypeError(`Expected \`${method}\` to be given an array of calls`)
    return calls.map((call) => this.#engine.toToolCall({ ...call, agentId: this.agentId }))
  }

  #takeTurn(calls: ReadonlyArray<ToolCall>): Stopped | undefined {
    const { actions, settings } = this.#engine
    const onlyResolves = calls.length > 0 && calls.every((call) => call.name === resolveName)
    const { state, withheld } = toolChoice.turn(
      actions.turn(this.agentId),
      settings.resolveChoice,
      onlyResolves,
    )
    actions.setTurn(this.agentId, state)
    return withheld ? failed("withheld", withheldMessage) : undefined
  }
}
