/** One agent of an executor: a view that is created on demand. */

import type { EnqueueOptions, ToolCall, ToolCallInput } from "../model/call.ts"
import type { AnswerOptions, ToolEvent, ToolResult } from "../model/event.ts"
import { expectOptions, expectSignalOptions, expectText, got } from "../model/got.ts"
import { failed, type Stopped } from "../model/outcome.ts"
import type { PendingActions } from "../model/pending-actions.ts"
import type { Tool } from "../model/tool.ts"
import type { ToolDefinition } from "../model/tool-definition.ts"
import { type ResolveParams, resolveName } from "../resolve/definition.ts"
import { type ResolveReminder, resolveReminder, withheldMessage } from "../resolve/reminder.ts"
import * as toolChoice from "../resolve/tool-choice.ts"
import type { UndoRequest } from "../undo/changes.ts"
import { undoCall } from "../undo/undo-request.ts"
import { AgentPendingActions } from "./actions/pending-actions.ts"
import type { StandingResolveHandler } from "./actions/resolver.ts"
import { toldOf } from "./call/call-input.ts"
import type { Engine } from "./engine.ts"
import { CallbackSink } from "./events/callback-sink.ts"
import { shutdownReason, submit } from "./intake.ts"
import { type Placement, runToResult } from "./one-run.ts"

/**
 * A signal that cancels. When it is aborted, the run of one call rejects with an `AbortError` once the call is over, but `runTurn`
 * still resolves to a result for each call.
 */
export interface SignalOption {
  readonly signal?: AbortSignal | undefined
}

/** What an agent's next turn should or must do about a pending action. */
export interface ToolChoice {
  /** `auto`: the model may choose freely again, while the action is still pending. */
  readonly mode: toolChoice.ToolChoiceMode
  readonly toolName: "resolve"
  readonly reminder: ResolveReminder
}

/** A call of a turn, which belongs to the turn's agent. */
export type TurnCall = Omit<ToolCallInput, "agentId">

type OnEvent = ((event: ToolEvent) => unknown) | undefined

/** A turn of an agent's model whose calls arrive one by one, as in the loops of SDKs. */
export interface AgentTurn {
  /**
   * Runs one call of the turn like `ToolExecutor.run`: rejects with an `AbortError` if `signal` is aborted. The first call decides
   * whether the turn is withheld. Throws at once for an invalid call.
   */
  run(call: TurnCall, onEvent?: (event: ToolEvent) => unknown, options?: SignalOption): Promise<ToolResult>
  /** Whether a call of this tool, which is not `resolve`, would be withheld, because a preview waits to be resolved. */
  withholds(name: string): boolean
  /** Ends the turn. A turn without calls counts too. `denied`: its calls that the host denied itself, so that none ran. */
  end(denied?: ReadonlyArray<TurnCall>): void
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

  /**
   * The definitions of the agent's tools, and of `resolve` and `read_result` while there is something for them. `withResolve`: of both in
   * any case, last, for frameworks that fix their tools before the first turn.
   */
  definitions(options: { readonly withResolve?: boolean } = {}): Array<ToolDefinition> {
    expectOptions("definitions", options, ["withResolve"])
    return this.#engine.definitions(this.agentId, options.withResolve)
  }

  /** Sets the tools that the agent may call. Default: all, but definitions leave hidden tools out. Throws for an unregistered name. */
  setActiveTools(names: Iterable<string>): void {
    this.#engine.tools.setActive(this.agentId, names)
  }

  /**
   * Calls the listener whenever `definitions` may have changed: tools were registered or removed, other tools are active, or `resolve`
   * was added or removed. Call the returned function to stop.
   */
  onDefinitionsChange(listener: () => void): () => void {
    return this.#engine.tools.onChange(this.agentId, listener)
  }

  /** Looks up the agent's tool by name, `resolve` included, for hosts that draw calls with the tool's renderers. */
  tool(name: string): Tool<unknown> | undefined {
    return this.#engine.tools.toolFor(this.agentId, name)
  }

  /** Aborted by a hard cancel of the agent and by shutdown, then replaced. For work that an agent does outside of its calls. */
  get signal(): AbortSignal {
    const { closing, signals } = this.#engine
    if (!closing) return signals.of(this.agentId)
    return AbortSignal.abort(new DOMException(shutdownReason, "AbortError"))
  }

  /** Forgets the settings of an agent that is finished: its active tools, its standing handler, its signal. */
  forget(): void {
    const { standingHandlers, tools, signals } = this.#engine
    standingHandlers.delete(this.agentId)
    tools.forget(this.agentId)
    signals.forget(this.agentId)
  }

  /** Cancels all foreground calls of the agent: queued, running and waiting. Returns their number. */
  cancel(options: { readonly reason?: string } = {}): number {
    expectOptions("cancel", options, ["reason"])
    return this.#engine.cancelHard({ agentId: this.agentId, reason: options.reason })
  }

  /** The agent's previews that wait to be applied or discarded. */
  get pendingActions(): PendingActions {
    return new AgentPendingActions(this.#engine.actions, this.agentId)
  }

  /**
   * Applies or discards the agent's latest pending action, outside its lane. Without `onEvent`, gates are denied and effects
   * fail. If `signal` is aborted, the action is pending again, and the promise rejects with an `AbortError`. `by`: the person who
   * decides, reported as `decidedBy` of the result and of `ActionResolved`.
   */
  resolve(
    request: ResolveParams,
    options: SignalOption & AnswerOptions & { readonly onEvent?: OnEvent } = {},
  ): Promise<ToolResult> {
    expectSignalOptions("resolve", options, ["signal", "onEvent", "by"])
    const { agentId } = this
    const { by } = options
    const who = by === undefined ? {} : { by }
    const call = this.#engine.toToolCall({ name: resolveName, params: request, agentId, ...who })
    return this.#run(call, options.onEvent, options, { inLane: false })
  }

  /**
   * Previews an undo of the agent's changes to files: those of one call, of a turn, since a time, or of the last calls that
   * changed something. Nothing changes until `resolve` applies the preview. Files that somebody else has changed since are left
   * alone and listed in `details.undo.left`. Without `onEvent`, gates are denied. Throws a TypeError unless the request has
   * exactly one of the keys.
   */
  undo(
    request: UndoRequest,
    options: SignalOption & { readonly onEvent?: OnEvent } = {},
  ): Promise<ToolResult> {
    const asked = undoCall(request)
    expectSignalOptions("undo", options, ["signal", "onEvent"])
    const call = this.#engine.toToolCall({ ...asked, agentId: this.agentId })
    return this.#run(call, options.onEvent, options, {})
  }

  /** Sets the handler that answers `resolve` while no action is pending, for example for a plan that waits for approval. */
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

  /** What the agent's next turn should or must do; undefined while no action is pending. */
  toolChoice(): ToolChoice | undefined {
    const { actions } = this.#engine
    const mode = toolChoice.modeOf(actions.turn(this.agentId))
    const latest = actions.latest(this.agentId)
    if (mode === undefined || latest === undefined) return undefined
    return { mode, toolName: resolveName, reminder: resolveReminder(latest.sourceToolName) }
  }

  /**
   * Enqueues the calls of one turn of the model; a turn may have no calls. While a preview waits, a turn that does anything but resolve
   * it is withheld, and the choice is forced. Returns the call ids. Throws at once for an invalid call, and after shutdown.
   */
  enqueueTurn(calls: ReadonlyArray<TurnCall>, options?: EnqueueOptions): Array<string> {
    const toolCalls = this.#callsOf(calls, "enqueueTurn", options)
    this.#engine.assertOpen()
    const refusal = this.#takeTurn(toolCalls)
    const to = { sink: this.#engine.events, refusal, turn: {} }
    return toolCalls.map((call) => submit(this.#engine, call, to).toolCall.callId)
  }

  /**
   * Runs the calls of one turn, and resolves to their results in order. Events go only to `onEvent`; without it, gates are denied and
   * effects fail. An aborted `signal` cancels the calls that have not ended. The turn still resolves once they are over, because a
   * model needs a result for each call.
   */
  async runTurn(
    calls: ReadonlyArray<TurnCall>,
    onEvent?: (event: ToolEvent) => unknown,
    options: SignalOption & EnqueueOptions = {},
  ): Promise<Array<ToolResult>> {
    expectSignalOptions("runTurn", options, ["signal", "truncated"])
    const toolCalls = this.#callsOf(calls, "runTurn", { truncated: options.truncated })
    const turn = { refusal: this.#takeTurn(toolCalls), settles: true }
    const { watchers } = this.#engine
    watchers.turnBegan(this.agentId)
    const runs = toolCalls.map((call) => this.#run(call, onEvent, options, turn))
    await Promise.allSettled(runs)
    watchers.turnEnded(this.agentId)
    return Promise.all(runs)
  }

  /** Begins a turn whose calls arrive one by one. End the turn before the next one begins. */
  beginTurn(): AgentTurn {
    let taken: { readonly refusal: Stopped | undefined } | undefined
    let isOver = false
    this.#engine.watchers.turnBegan(this.agentId)
    return {
      run: (call, onEvent, options = {}) => {
        expectSignalOptions("run", options)
        const toolCalls = this.#callsOf([call], "run")
        taken ??= { refusal: this.#takeTurn(toolCalls) }
        return this.#run(toolCalls[0]!, onEvent, options, taken)
      },
      withholds: (name) =>
        name !== resolveName &&
        (taken === undefined ? this.#nextTurn(false).withheld : taken.refusal !== undefined),
      end: (denied = []) => {
        taken ??= { refusal: this.#takeTurn(denied) }
        if (!isOver) this.#engine.watchers.turnEnded(this.agentId)
        isOver = true
      },
    }
  }

  #run(call: ToolCall, onEvent: OnEvent, { signal }: SignalOption, place: Placement): Promise<ToolResult> {
    return runToResult(this.#engine, call, new CallbackSink(onEvent, this.#engine.stamps), signal, place)
  }

  #callsOf(calls: ReadonlyArray<TurnCall>, method: string, options?: EnqueueOptions): Array<ToolCall> {
    const { agentId } = this
    return toldOf(method, calls, options).map((call) => this.#engine.toToolCall({ ...call, agentId }))
  }

  #nextTurn(onlyResolves: boolean): toolChoice.Turn {
    const { actions, settings } = this.#engine
    return toolChoice.turn(actions.turn(this.agentId), settings.resolveChoice, onlyResolves)
  }

  #takeTurn(calls: ReadonlyArray<TurnCall>): Stopped | undefined {
    const onlyResolves = calls.length > 0 && calls.every((call) => call.name === resolveName)
    const { state, withheld } = this.#nextTurn(onlyResolves)
    this.#engine.actions.setTurn(this.agentId, state)
    return withheld ? failed("withheld", withheldMessage) : undefined
  }
}
