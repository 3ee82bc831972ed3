/**
 * Runs tool calls and tells its host what happens. Foreground calls of an agent take turns in its lane; background
 * calls run at once, within a bound. Every call ends with exactly one terminal event.
 */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"
import * as Stream from "effect/Stream"
import type { GivenOutput } from "../output/output.ts"
import type { AllowRule, RememberChoice } from "../policy/index.ts"
import type { ResolveParams } from "../resolve/definition.ts"
import { loadWhenIdle } from "../schema/json-shape.ts"
import type { BackgroundTasks } from "../tasks/background-tasks.ts"
import { watch } from "../watching/watch.ts"
import type { ExecutorWatcher } from "../watching/watcher.ts"
import { ExecutorAgent, type SignalOption } from "./agent.ts"
import * as answers from "./call/answers.ts"
import { rulesToRemember } from "./call/asking.ts"
import { type CancelOptions, readCancel } from "./call/calls.ts"
import { decideCall } from "./call/deciding.ts"
import { execute, timedOut } from "./call/driver.ts"
import { type CallDetails, type CallInspection, detailsOf, inspectionOf } from "./call/inspection.ts"
import { type CallSnapshot, readSnapshot } from "./call/snapshot.ts"
import { writeCall, writeStaged } from "./call/write-snapshot.ts"
import { type Driver, Engine } from "./engine.ts"
import { CallbackSink } from "./events/callback-sink.ts"
import { EventIterator } from "./events/event-queue.ts"
import { type ExecutorJournal, takeEnvironment, withEnvironment } from "./executor-environment.ts"
import { drop, enqueue, restoreCall, restoreStaged } from "./intake.ts"
import type { CallOf, ToolCallInput } from "./model/call.ts"
import type { CallDecision } from "./model/decision.ts"
import type { ApproveOptions, ToolEvent, ToolResult } from "./model/event.ts"
import { expectSignal, expectSignalOptions, got } from "./model/got.ts"
import type { ToolExecutorOptions } from "./model/options.ts"
import type { ToolRegistry } from "./model/registry.ts"
import type { AnyTools, StructuredOf, ToolTypes } from "./model/tool-types.ts"
import { pullEvents, runToResult } from "./one-run.ts"
import { shutDown } from "./shutting-down.ts"

/** What `resolve` is called with, by the model as by the host. */
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
 * Runs the calls of a registry's tools for a host. Throws a TypeError for options that cannot be meant. `T` are the tools
 * that its types know: those that its registry was made with.
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
    loadWhenIdle()
  }

  /**
   * An executor whose handlers may need services of `R`; the scope shuts it down, and time comes from the program's Clock.
   * Options that cannot be meant are a defect.
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
   * Queues calls and gives their ids. Nothing of a tool runs before the caller's synchronous code has ended.
   * Throws at once for what is no call, and after shutdown.
   */
  enqueue(calls: ReadonlyArray<ToolCallInput>): Array<string> {
    if (!Array.isArray(calls)) throw new TypeError("Expected `enqueue` to be given an array of calls")
    const { engine } = this
    engine.assertOpen()
    const toolCalls = calls.map((input) => engine.toToolCall(input))
    if (!engine.actions.isEmpty) engine.actions.calledOutsideTurns(toolCalls)
    return enqueue(engine, toolCalls)
  }

  /**
   * Runs one call to its result; in the background, to the moment when it runs there. It takes its place in its lane.
   * Its events go to `onEvent` alone; without one, gates are denied and effects fail.
   * Rejects with an `AbortError` if `signal` is aborted, once the call is over. Throws at once for what is no call. After
   * shutdown every call is cancelled.
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
   * Runs one call and gives its events as they are pulled, then its result. The call is enqueued when the first event is
   * asked for. A background call's events end with its task. Whoever leaves the loop cancels the call, and waits for its
   * cleanup. Throws an `AbortError` if `signal` is aborted, once the call is over.
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
   * What would happen to a call, were it queued now: its parameters are checked, `beforeCall` and the rules are asked, its
   * pipeline is composed and its gates are looked at. Nothing of it runs, and nothing is changed; reviewers are not asked, and
   * what a handler asks for while it runs is not known. Rejects for what is no call, and after shutdown.
   */
  async decide(input: ToolCallInput): Promise<CallDecision> {
    const { engine } = this
    engine.assertOpen()
    return decideCall(engine, engine.toToolCall(input))
  }

  /** What belongs to one agent: its tools, its pending actions, its turns. A view: there is nothing to keep or to close. */
  agent(agentId = "main"): ExecutorAgent {
    return new ExecutorAgent(agentId, this.engine)
  }

  // --- Events

  /** The next event; undefined once nothing is queued, running, waiting or undelivered. */
  next(options?: SignalOption): Promise<ToolEvent<T> | undefined> {
    const { events } = this.engine
    return (
      options === undefined
        ? events.next(untilIdle)
        : events.next({ untilIdle: true, ...withSignal(options) })
    ) as Promise<ToolEvent<T> | undefined>
  }

  /** The same events, as long as the executor lives. Each event goes to one reader, once. */
  get events(): AsyncIterableIterator<ToolEvent<T>> {
    return new EventIterator(this.engine.events) as AsyncIterableIterator<ToolEvent<T>>
  }

  /** The same events as an Effect Stream. */
  get stream(): Stream.Stream<ToolEvent<T>> {
    // An iterator of its own for each run: a Stream may be run again.
    return Stream.suspend(() => Stream.orDie(Stream.fromAsyncIterable(this.events, (error) => error)))
  }

  // --- Answers

  /** Approves a call that waits at a gate, or that is `requested`. True if it took effect. */
  approve(callId: string, options?: ApproveOptions): boolean {
    const call = this.engine.callOf(callId)
    return call !== undefined && answers.approve(this.engine, call, options)
  }

  /**
   * The allow rules that `approve(callId, { remember: choice })` would add, to show before it is done; undefined where the call
   * waits at no gate, where only a person passes that, and where no such rule fits the call.
   */
  wouldRemember(callId: string, choice: RememberChoice = "call"): ReadonlyArray<AllowRule> | undefined {
    const call = this.engine.callOf(callId)
    return call && rulesToRemember(this.engine, call, choice)
  }

  /** Denies a call that waits at a gate, or that is `requested`. True if it took effect. */
  deny(callId: string, reason?: string): boolean {
    const call = this.engine.callOf(callId)
    return call !== undefined && answers.deny(this.engine, call, reason)
  }

  /** Answers the effect that a call waits for. True if it took effect. */
  respond(callId: string, answer: { readonly output?: GivenOutput } | { readonly error: string }): boolean {
    if (typeof answer !== "object" || answer === null) {
      throw new TypeError(`Expected an answer with an \`output\` or an \`error\`, ${got(answer)}`)
    }
    const call = this.engine.callOf(callId)
    return call !== undefined && answers.respond(this.engine, call, answer)
  }

  // --- Cancellation

  /** Hard: ends all foreground calls, queued, running and waiting. Gives how many. */
  cancel(options?: CancelOptions): number {
    return this.engine.cancelHard(readCancel("cancel", options))
  }

  /** Soft: ends the handlers that run now; gates and the queue go on. Gives how many. */
  cancelForeground(options?: CancelOptions): number {
    return this.engine.cancel(readCancel("cancelForeground", options), true)
  }

  /** Background tasks: running ones, and finished ones until they are taken. */
  get tasks(): BackgroundTasks {
    return this.engine.tasks
  }

  /** Ends one call, also in the background. True if it took effect. */
  cancelCall(callId: string, reason?: string): boolean {
    const call = this.engine.callOf(callId)
    return call !== undefined && answers.cancel(this.engine, call, reason)
  }

  /** A started foreground call becomes a background task. False where it is queued, ending, or not allowed. */
  toBackground(callId: string): boolean {
    const call = this.engine.callOf(callId)
    return call !== undefined && answers.toBackground(this.engine, call)
  }

  /**
   * Cancels everything, runs all cleanup and ends the events; what is undelivered stays readable. Where calls are durable, nothing
   * is cancelled: they go on once their store is opened again.
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

  /** What one call is doing, with its plan and where it stands; undefined for one that is not active. */
  inspectCall(callId: string): CallDetails | undefined {
    const call = this.engine.callOf(callId)
    return call && detailsOf(call, this.engine.deadlines.time())
  }

  /**
   * Has somebody told what the executor does, beside those that read its events, until the function that it gives is called.
   * What is active already is told first, as if it began now; such events have the `seq` 0. What its
   * tracer has begun is told to the end.
   */
  watch(watcher: ExecutorWatcher): () => void {
    return watch(watcher, this.engine)
  }

  // --- Written down and read back

  /**
   * A call at rest as plain JSON: queued, held, waiting for its host at a gate or for an effect, or staged (by the id of the
   * staging call, or of its action). The call goes on here; what is to go on elsewhere is cancelled, or its process ends.
   * Throws an Error that says why for a call that is unknown, or not at rest, and for an action that was pushed.
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
   * Goes on with a call that `snapshot` wrote down, in this process or another: the same future follows, its question is
   * asked again, and what ran before does not run again. Gives its id, or the action's. Throws an Error where its tool is gone
   * or composes another pipeline now, and where the id is in use.
   */
  restore(snapshot: CallSnapshot): string {
    const { engine } = this
    engine.assertOpen()
    const read = readSnapshot(snapshot)
    const call = engine.toToolCall(read.call)
    if (read.staged !== undefined) return restoreStaged(engine, call, read.staged)
    if (engine.isTaken(call.callId)) throw new Error(`Cannot restore "${call.callId}": the id is in use`)
    return restoreCall(engine, { ...read, call })
  }
}
