/**
 * Runs tool calls and reports events to its host. Foreground calls of an agent take turns in a lane; background calls run
 * concurrently, up to a limit. Every call ends with exactly one terminal event.
 */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"
import * as Stream from "effect/Stream"
import type { CallOf, EnqueueOptions, ToolCallInput } from "../model/call.ts"
import type { CallDecision } from "../model/decision.ts"
import {
  type AnswerOptions,
  type ApproveOptions,
  expectAnswerOptions,
  type ToolEvent,
  type ToolResult,
} from "../model/event.ts"
import { expectSignal, expectSignalOptions, got } from "../model/got.ts"
import type { ToolExecutorOptions } from "../model/options.ts"
import type { ToolRegistry } from "../model/registry.ts"
import type { AnyTools, StructuredOf, ToolTypes } from "../model/tool-types.ts"
import type { GivenOutput } from "../output/output.ts"
import type { AllowRule, RememberChoice } from "../policy/index.ts"
import type { ResolveParams } from "../resolve/definition.ts"
import { readSnapshot } from "../snapshots/check-snapshot.ts"
import type { CallSnapshot } from "../snapshots/snapshot.ts"
import { writeCall, writeStaged } from "../snapshots/write-snapshot.ts"
import type { BackgroundTasks } from "../tasks/background-tasks.ts"
import type { CallChanges, ChangesFilter, EarlierChanges } from "../undo/changes.ts"
import { expectChangesFilter } from "../undo/undo-request.ts"
import { watch } from "../watching/watch.ts"
import type { ExecutorWatcher } from "../watching/watcher.ts"
import { ExecutorAgent, type SignalOption } from "./agent.ts"
import { toldOf } from "./call/call-input.ts"
import { type CancelOptions, readCancel } from "./call/calls.ts"
import { execute, timedOut } from "./call/driver.ts"
import { type CallDetails, type CallInspection, detailsOf, inspectionOf } from "./call/inspection.ts"
import { type Driver, Engine } from "./engine.ts"
import { CallbackSink } from "./events/callback-sink.ts"
import { EventIterator } from "./events/event-queue.ts"
import { type ExecutorJournal, takeEnvironment, withEnvironment } from "./executor-environment.ts"
import { drop, enqueue, restoreCall, restoreStaged } from "./intake.ts"
import { pullEvents, runToResult } from "./one-run.ts"
import { type AnswerOutcome, answerAll, type ListedAnswer } from "./questions/answer-list.ts"
import * as answers from "./questions/answers.ts"
import { rulesToRemember } from "./questions/asking.ts"
import { decideCall } from "./questions/deciding.ts"
import { leaveAction, leaveCall, shutDown } from "./shutting-down.ts"

/** The parameters of `resolve`, for both the model and the host. */
export type ResolveRequest = ResolveParams

const untilIdle = { untilIdle: true }

const withSignal = (options: SignalOption): { readonly signal?: AbortSignal } => {
  expectSignalOptions("next", options)
  const signal = options.signal ?? undefined
  expectSignal(signal)
  return signal === undefined ? {} : { signal }
}

const driver: Driver = { execute, timedOut, dropped: drop }

/**
 * Runs calls of the tools of a registry. Throws a TypeError for invalid options. `T`: the tools that the registry was made with,
 * which type the events and results.
 */
export class ToolExecutor<T extends ToolTypes = AnyTools> implements AsyncDisposable {
  private readonly engine: Engine
  private readonly journal: ExecutorJournal | undefined
  private down: Promise<void> | undefined

  constructor(registry: ToolRegistry<never, T>, options: ToolExecutorOptions = {}) {
    const environment = takeEnvironment(options)
    this.engine = new Engine(registry as unknown as ToolRegistry<unknown>, options, environment, driver)
    this.journal = environment.journal
    this.journal?.attach(this.engine)
  }

  /**
   * Makes an executor whose handlers may need services of `R`. The scope shuts the executor down, and its time comes from the
   * program's Clock. Invalid options are a defect.
   */
  static make<R, T extends ToolTypes = AnyTools>(
    registry: ToolRegistry<R, T>,
    options: ToolExecutorOptions = {},
  ): Effect.Effect<ToolExecutor<T>, never, R | Scope> {
    return Effect.flatMap(Effect.context<R | Scope>(), (context) =>
      Effect.acquireRelease(
        Effect.sync(() => {
          const services = context as Context.Context<never>
          return new ToolExecutor(
            registry as unknown as ToolRegistry<never, T>,
            withEnvironment(options, services),
          )
        }),
        (executor) => Effect.promise(() => executor.shutdown()),
      ),
    )
  }

  // --- Calls

  /**
   * Enqueues calls and returns their ids. No code of a tool runs before the caller's synchronous code has returned.
   * Throws at once for an invalid call, and after shutdown.
   */
  enqueue(calls: ReadonlyArray<ToolCallInput>, options?: EnqueueOptions): Array<string> {
    if (!Array.isArray(calls)) throw new TypeError("Expected `enqueue` to be given an array of calls")
    const { engine } = this
    engine.assertOpen()
    const inputs = options === undefined ? calls : toldOf("enqueue", calls, options)
    const toolCalls = inputs.map((input) => engine.toToolCall(input))
    if (!engine.actions.isEmpty) engine.actions.calledOutsideTurns(toolCalls)
    return enqueue(engine, toolCalls)
  }

  /**
   * Runs one call in its lane, and resolves to its result. A background call resolves when it starts in the background.
   * Events go only to `onEvent`; without it, gates are denied and effects fail. If `signal` is aborted, the promise rejects with an
   * `AbortError` once the call is over. Throws at once for an invalid call. After shutdown, every call is cancelled.
   */
  run<const Name extends string>(
    call: CallOf<T, Name>,
    onEvent?: (event: ToolEvent<T>) => unknown,
    options?: SignalOption,
  ): Promise<ToolResult<StructuredOf<T, Name>>> {
    if (options !== undefined) expectSignalOptions("run", options)
    const told = onEvent as ((event: ToolEvent) => unknown) | undefined
    const { engine } = this
    const sink = new CallbackSink(told, engine.stamps)
    const result = runToResult(engine, engine.toToolCall(call), sink, options?.signal)
    return result as Promise<ToolResult<StructuredOf<T, Name>>>
  }

  /**
   * Runs one call, yields its events, and returns its result. The call is enqueued when the first event is requested. A background
   * call's events end with its task. Leaving the loop cancels the call, and waits for its cleanup. If `signal` is aborted, the
   * iteration throws an `AbortError` once the call is over.
   */
  async *runEvents<const Name extends string>(
    call: CallOf<T, Name>,
    options?: SignalOption,
  ): AsyncGenerator<ToolEvent<T>, ToolResult<StructuredOf<T, Name>>, undefined> {
    if (options !== undefined) expectSignalOptions("runEvents", options)
    const { engine } = this
    const input = engine.toToolCall(call)
    const queue = engine.makeQueue(() => false)
    const events = pullEvents(engine, input, queue, options?.signal)
    const result = yield* events as AsyncGenerator<ToolEvent<T>, ToolResult, undefined>
    return result as ToolResult<StructuredOf<T, Name>>
  }

  /**
   * Predicts what would happen to a call if it were enqueued now: validates its parameters, asks `beforeCall` and the rules, composes
   * its pipeline and looks at its gates. No handler runs, and nothing changes. Reviewers are not asked, and questions that a handler
   * asks while it runs cannot be predicted. Rejects for an invalid call, and after shutdown.
   */
  async decide(input: ToolCallInput): Promise<CallDecision> {
    const { engine } = this
    engine.assertOpen()
    return decideCall(engine, engine.toToolCall(input))
  }

  /** Returns the view of one agent: its tools, its pending actions, its turns. The view need not be kept or closed. */
  agent(agentId = "main"): ExecutorAgent {
    return new ExecutorAgent(agentId, this.engine)
  }

  // --- Events

  /** The next event; undefined once no call is active and no event is unread. */
  next(options?: SignalOption): Promise<ToolEvent<T> | undefined> {
    const { events } = this.engine
    return (
      options === undefined
        ? events.next(untilIdle)
        : events.next({ untilIdle: true, ...withSignal(options) })
    ) as Promise<ToolEvent<T> | undefined>
  }

  /** Iterates over the events until shutdown. Each event goes to one reader, once. */
  get events(): AsyncIterableIterator<ToolEvent<T>> {
    return new EventIterator(this.engine.events) as AsyncIterableIterator<ToolEvent<T>>
  }

  /** The same events as an Effect Stream. */
  get stream(): Stream.Stream<ToolEvent<T>> {
    // A Stream may be run again, so each run gets its own iterator.
    return Stream.suspend(() => Stream.orDie(Stream.fromAsyncIterable(this.events, (error) => error)))
  }

  // --- Answers

  /**
   * Approves a call that waits at a gate, or that is `requested`. Returns whether the approval took effect. `by`, also an option
   * of `deny` and `respond`, names the person who answers: `decidedBy` is then `{ kind: "user", id }`.
   */
  approve(callId: string, options?: ApproveOptions): boolean {
    const call = this.engine.callOf(callId)
    return call !== undefined && answers.approving(this.engine, call, options) === true
  }

  /**
   * The allow rules that `approve(callId, { remember: choice })` would add, for hosts that show them first. Undefined if the call waits
   * at no gate, if only a person passes the gate, or if no such rule fits the call.
   */
  wouldRemember(callId: string, choice: RememberChoice = "call"): ReadonlyArray<AllowRule> | undefined {
    const call = this.engine.callOf(callId)
    return call && rulesToRemember(this.engine, call, choice)
  }

  /** Denies a call that waits at a gate, or that is `requested`. Returns whether the denial took effect. */
  deny(callId: string, reason?: string, options?: AnswerOptions): boolean {
    const call = this.engine.callOf(callId)
    return call !== undefined && answers.denying(this.engine, call, reason, options) === true
  }

  /**
   * Decides several gates, each once. Returns for each answer, in order, whether it took effect and, if not, why. With
   * `question`, the event that asked, an answer takes effect only while that question is open. Throws a TypeError for a malformed
   * list, before anything is decided.
   */
  answer(list: ReadonlyArray<ListedAnswer>, options?: AnswerOptions): Array<AnswerOutcome> {
    expectAnswerOptions("answer", options)
    return answerAll(this.engine, list, options)
  }

  /** Answers the effect that a call waits for. Returns whether the answer took effect. */
  respond(
    callId: string,
    answer: { readonly output?: GivenOutput } | { readonly error: string },
    options?: AnswerOptions,
  ): boolean {
    if (typeof answer !== "object" || answer === null) {
      throw new TypeError(`Expected an answer with an \`output\` or an \`error\`, ${got(answer)}`)
    }
    const call = this.engine.callOf(callId)
    return call !== undefined && answers.respond(this.engine, call, answer, options)
  }

  /**
   * Lists the changes of calls to files that `agent.undo` can take back, oldest first. Throws a TypeError for an invalid filter.
   */
  changes(filter: ChangesFilter = {}): Array<CallChanges> {
    expectChangesFilter(filter)
    return this.engine.changes?.list(filter) ?? []
  }

  /**
   * Adds the changes that calls of earlier executors made, oldest first, as returned by `recordedChanges` of `stepline/handlers`:
   * `changes` lists them, and `agent.undo` takes them back. Does nothing if the executor keeps no changes.
   */
  restoreChanges(earlier: ReadonlyArray<EarlierChanges>): void {
    this.engine.changes?.restore(earlier)
  }

  // --- Cancellation

  /** Hard cancel: ends all foreground calls, queued, running and waiting. Returns their number. */
  cancel(options?: CancelOptions): number {
    return this.engine.cancelHard(readCancel("cancel", options))
  }

  /** Soft cancel: ends the calls whose handlers are running; calls at gates and queued calls stay. Returns their number. */
  cancelForeground(options?: CancelOptions): number {
    return this.engine.cancel(readCancel("cancelForeground", options), true)
  }

  /** The background tasks: running tasks, and finished tasks until they are taken. */
  get tasks(): BackgroundTasks {
    return this.engine.tasks
  }

  /** Cancels one call, also a background call. Returns whether the cancel took effect. */
  cancelCall(callId: string, reason?: string): boolean {
    const call = this.engine.callOf(callId)
    return call !== undefined && this.engine.cancelOne(call, reason)
  }

  /**
   * Moves a started foreground call to the background. Returns false if the call is queued or ending, if another call made it, or
   * if its tool does not allow it.
   */
  toBackground(callId: string): boolean {
    const call = this.engine.callOf(callId)
    return call !== undefined && answers.toBackground(this.engine, call)
  }

  /**
   * Cancels all calls, runs all cleanup and ends the events; unread events stay readable. Durable calls are not cancelled: they
   * continue once their store is opened again.
   */
  shutdown(): Promise<void> {
    this.down ??= shutDown(this.engine, this.journal)
    return this.down
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.shutdown()
  }

  /** What every call is doing, in the order of enqueueing. */
  inspect(): Array<CallInspection> {
    return this.engine.calls.all().map(inspectionOf)
  }

  /** What one call is doing, with its plan and its position in the plan; undefined for a call that is not active. */
  inspectCall(callId: string): CallDetails | undefined {
    const call = this.engine.callOf(callId)
    return call && detailsOf(call, this.engine.deadlines.time(), this.engine.settings.approvalTimeout)
  }

  /**
   * Adds a watcher, which observes the executor without taking events from their readers. The watcher first receives events with
   * `seq` 0 for the calls that are already active. Call the returned function to remove the watcher; its tracer still receives
   * the end of the spans that it has begun.
   */
  watch(watcher: ExecutorWatcher): () => void {
    return watch(watcher, this.engine)
  }

  // --- Snapshots

  /**
   * A call at rest as plain JSON: queued, held, waiting for its host at a gate or for an effect, or staged (by the id of the
   * staging call or of its action). The call also continues here: cancel it, or end the process, before another process restores it.
   * Throws an Error with the reason if the call is unknown or not at rest, and for an action that was pushed.
   */
  snapshot(callId: string): CallSnapshot {
    const call = this.engine.calls.get(callId)
    if (call !== undefined) return writeCall(call)
    const action = this.engine.actions.find(callId)
    if (action === undefined)
      throw new Error(`There is no call "${callId}" that is active, and no action that it staged`)
    return writeStaged(action)
  }

  /**
   * Takes a call at rest out of the executor, and returns its snapshot, from which another process continues it, or a later executor.
   * The call does not end: no event tells of it, no finally handler runs, its time stops, and `run` rejects. A staged action (by the id of
   * its call or its own) leaves the pending actions. Throws an Error as `snapshot` does, for a nested call, which is continued by its outer
   * call, and for a durable executor, whose calls continue from their store.
   */
  leave(callId: string): CallSnapshot {
    const { engine } = this
    if (this.journal !== undefined)
      throw new Error("The calls of a durable executor continue from their store: shut the executor down")
    const snapshot = this.snapshot(callId)
    const call = engine.calls.get(callId)
    if (call?.to.outer !== undefined)
      throw new Error(`Call "${callId}" is nested: a handler of its outer call waits for it`)
    if (call !== undefined) leaveCall(engine, call)
    else leaveAction(engine, snapshot.call.agentId, engine.actions.find(callId)!)
    return snapshot
  }

  /**
   * Continues a call from its snapshot, in this process or another. Its question is asked again, and handlers that ran before do not
   * run again. Returns the id of the call, or of the action. Throws an Error if the tool is missing or composes a different pipeline,
   * or if the id is in use.
   */
  restore(snapshot: CallSnapshot): string {
    const { engine } = this
    engine.assertOpen()
    const read = readSnapshot(snapshot)
    const call = engine.toToolCall(read.call)
    if (read.state._tag === "Staged") return restoreStaged(engine, call, read.action!)
    if (engine.isTaken(call.callId)) throw new Error(`Cannot restore "${call.callId}": the id is in use`)
    return restoreCall(engine, { ...read, call })
  }
}
