/** Runs calls of a store: an executor, and the journal that stores its changes. */
import { resolve } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import type { ToolCall, ToolCallInput } from "../model/call.ts"
import { toMillis } from "../model/duration.ts"
import { expectFlag, expectFunction, toCount } from "../model/got.ts"
import { type CallFilter, delegateOf, type ToolExecutorOptions } from "../model/options.ts"
import type { ToolRegistry } from "../model/registry.ts"
import type { DurationInput } from "../model/step.ts"
import { laneOf } from "../pipeline/call/call.ts"
import { ToolExecutor } from "../pipeline/executor.ts"
import { withJournal } from "../pipeline/executor-environment.ts"
import { otherQuestion } from "../pipeline/questions/answer-list.ts"
import { ToolFilters } from "../policy/filters.ts"
import { type CallSnapshot, queuedSnapshot } from "../snapshots/snapshot.ts"
import type { BackgroundTask } from "../tasks/background-tasks.ts"
import { isOfTasks } from "../tasks/task-answers.ts"
import { messageOf } from "../text/message-of.ts"
import type { AskedQuestion } from "./inbox.ts"
import { type JournalOptions, StoreJournal } from "./journal/journal.ts"
import { rememberingFilter } from "./journal/remembering-filter.ts"
import { restoreRules } from "./journal/restore.ts"
import { taskText } from "./kept-text.ts"
import { receiptsIn } from "./poisoned.ts"
import { type CallRequest, type Request, type RequestAnswer, readRequest } from "./requests.ts"
import type { JournalStore, RuleRow } from "./store.ts"

/** The options of a durable executor, besides those of every executor. */
export interface DurableOptions extends ToolExecutorOptions {
  /** How long ended calls and their events are kept. Default 7 days. */
  readonly retention?: DurationInput
  /**
   * How many processes may end while one handler runs. After that, the call is cleaned up and ends as an Error (`poisoned`). A
   * tool may have its own limit. Handlers on their last attempt run one at a time. Default 3.
   */
  readonly maxAttempts?: number
  /**
   * How long a call waits for a process that has its tool, before it ends as an Error: a call that was run before, once its own process
   * has ended, and a call that a client queues. For Postgres, where several processes run the calls. Default 1 minute.
   */
  readonly unknownToolTimeout?: DurationInput
  /** Called with the error when the store fails, and with undefined once it works again. Calls wait in between. */
  readonly onStoreError?: ((error: unknown) => void) | undefined
  /** Whether the store keeps the rules that approvals add. Default true; set it to false if `filters` keeps them elsewhere. */
  readonly keepsRules?: boolean
}

/** Milliseconds between two checks whether a restored call has asked its question again. */
const reaskCheck = 10

/** The parts that a runner needs besides its options. */
export interface RunnerParts {
  readonly store: JournalStore
  readonly registry: ToolRegistry<never>
  /** Queues the calls of another process's request, and returns their ids. */
  readonly take?: (calls: ReadonlyArray<ToolCallInput>) => ReadonlyArray<string>
  readonly behindOthers?: JournalOptions["behindOthers"]
  /** Called once other processes run these calls. */
  readonly onFenced?: () => void
  /** Called once the executor was shut down and runs nothing. */
  readonly onLeft?: () => void
}

const ruleKey = ({ tool, params, choice }: RuleRow): string => JSON.stringify([tool, params, choice])

const answers: ReadonlySet<Request["_tag"]> = new Set(["Approve", "Deny", "Answer", "Respond"])

/** Runs calls, and stores their changes. */
export class Runner {
  readonly executor: ToolExecutor
  readonly journal: StoreJournal
  /** The folder whose rules apply here. */
  readonly folder: string
  private readonly filters: CallFilter
  private readonly parts: RunnerParts
  private readonly keepsRules: boolean
  /** The keys of the rules that were added here, or read from the store. */
  private readonly rules = new Set<string>()

  constructor(
    parts: RunnerParts,
    {
      retention: _,
      unknownToolTimeout: __,
      onStoreError,
      keepsRules = true,
      maxAttempts,
      ...options
    }: DurableOptions,
  ) {
    const { hooks, approvalTimeout, delegates, cwd = process.cwd() } = options
    expectFlag("keepsRules", keepsRules)
    expectFunction("onStoreError", onStoreError)
    const most = toCount("maxAttempts", maxAttempts, 3)
    this.parts = parts
    this.keepsRules = keepsRules
    this.journal = new StoreJournal(parts.store, {
      approvalTimeout: toMillis("approvalTimeout", approvalTimeout),
      hasFunction: (effect) =>
        isOfTasks(effect) || delegateOf(delegates ?? {}, String(effect?._tag)) !== undefined,
      hooks: { before: hooks?.beforeCall !== undefined, after: hooks?.afterCall !== undefined },
      maxAttemptsOf: (tool, part) =>
        (part !== undefined && "handler" in part ? part.handler.maxAttempts : undefined) ??
        tool?.maxAttempts ??
        most,
      onStoreError,
      behindOthers: parts.behindOthers,
      onFenced: parts.onFenced,
      onLeft: parts.onLeft,
    })
    this.filters = options.filters?.at?.(cwd) ?? options.filters ?? ToolFilters.compile({}, { cwd })
    this.folder = resolve(cwd)
    const keeping = rememberingFilter(this.filters, ({ name }, params, choice) => {
      const texts = { params: JSON.stringify(params), choice: JSON.stringify(choice) }
      const rule = { cwd: this.folder, tool: name, ...texts }
      this.rules.add(ruleKey(rule))
      this.journal.made(rule)
    })
    const filters = keepsRules ? keeping : this.filters
    this.executor = new ToolExecutor(parts.registry, withJournal({ ...options, cwd, filters }, this.journal))
  }

  /** Whether the executor has a call or a kept task with this id. */
  has(callId: string): boolean {
    return this.journal.engine.isTaken(callId)
  }

  /** Whether the executor has the tool of a call. */
  hasTool({ agentId, name }: Pick<ToolCall, "agentId" | "name">): boolean {
    return this.journal.engine.tools.toolFor(agentId, name) !== undefined
  }

  /** The agents that have a call, a task or an action in the executor. */
  busy(): Set<string> {
    const { calls, tasks, actions } = this.journal.engine
    const owned = [...calls.all().map(({ toolCall }) => toolCall), ...tasks.list()]
    return new Set([...owned.map(({ agentId }) => agentId), ...actions.agentIds()])
  }

  /** Takes agents out whose calls all wait, up to a number: other processes run them. Returns the ids of their calls. */
  giveUp(count: number, isHeld: (agentId: string) => boolean): Map<string, Array<string>> {
    const { journal } = this
    const { calls, tasks, actions } = journal.engine
    const given = new Map<string, Array<string>>()
    const unsettled = journal.unsettled()
    if (unsettled === undefined) return given
    const staying = new Set([
      ...unsettled,
      ...actions.agentIds(),
      ...tasks.list().map(({ agentId }) => agentId),
    ])
    for (const call of calls.all()) if (!journal.isAtRest(call)) staying.add(call.toolCall.agentId)
    for (const call of calls.all()) {
      const { agentId, callId } = call.toolCall
      if (staying.has(agentId) || !isHeld(agentId) || (!given.has(agentId) && given.size >= count)) continue
      given.set(agentId, [...(given.get(agentId) ?? []), callId])
      journal.leave(call)
    }
    return given
  }

  /** Whether the executor has this id, or had it just now. */
  isKnown(callId: string): boolean {
    return this.has(callId) || this.journal.hasEnded(callId)
  }

  /** Adds the rules of this runner's folder that it does not have yet. */
  restoreRules(rules: ReadonlyArray<RuleRow>): void {
    if (!this.keepsRules) return
    const news = rules.filter((rule) => !this.rules.has(ruleKey(rule)))
    for (const rule of news) this.rules.add(ruleKey(rule))
    restoreRules(news, this.filters, this.parts.registry)
  }

  /** Adds what handlers of calls that have ended have done, so that `undo` finds it. `results`: JSON of their last events. */
  restoreReceipts(results: ReadonlyArray<string>): void {
    this.journal.engine.changes?.restoreReceipts(results.flatMap(receiptsIn))
  }

  /** Snapshots of calls that are about to be taken in. Calls that get their turn at once are on their first attempt. */
  queuedSnapshots(calls: ReadonlyArray<ToolCall>): Array<CallSnapshot> {
    const { engine } = this.journal
    const createdAt = Date.now()
    const taken = new Set<string>()
    return calls.map((call) => {
      const lane = laneOf(call)
      const isNext = call.background || !(taken.has(lane) || engine.lanes.isBusy(lane))
      if (!call.background) taken.add(lane)
      const isCounted =
        isNext && this.journal.maxAttemptsOf(engine.tools.toolFor(call.agentId, call.name)) > 1
      return { ...queuedSnapshot(call, createdAt), ...(isCounted && { attempts: 1 }) }
    })
  }

  /** Starts in the next turn, so that hosts can attach to the executor before anything runs. */
  begin(): void {
    setImmediate(() => this.journal.begin())
  }

  carryOut(request: CallRequest): unknown {
    const { executor } = this
    const { question } = request as { readonly question?: AskedQuestion }
    if (question !== undefined && !this.journal.isOpen(request.callId, question))
      return request._tag === "Answer" ? { took: false, why: otherQuestion(request.callId) } : false
    switch (request._tag) {
      case "Approve":
        return executor.approve(request.callId, request.options)
      case "Deny":
        return executor.deny(request.callId, request.reason, { by: request.by })
      case "Answer": {
        const { callId, answer, by } = request
        const [outcome] = executor.answer([{ callId, ...answer }], { by })
        return outcome
      }
      case "Respond":
        return executor.respond(request.callId, request.answer, { by: request.by })
      case "Cancel":
        return executor.cancelCall(request.callId, request.reason)
      case "Take":
        return executor.tasks.take(request.callId) ?? null
      default:
        throw new Error("This request is unknown: use the same version of stepline on both sides")
    }
  }

  /** Carries out a request, and resolves once its effect is stored. */
  async stored(request: CallRequest): Promise<unknown> {
    while (this.isReaskDue(request)) await sleep(reaskCheck)
    const took = this.carryOut(request)
    await this.journal.stored()
    return took
  }

  /**
   * Carries out the request of another process: its answer is stored together with its effect. Returns false if the request has
   * to wait, because it answers a stored question that the restored call is about to ask again.
   */
  answer(id: number, text: string): boolean {
    const request = readRequest(text)
    if (request !== undefined && this.isReaskDue(request)) return false
    this.journal.answered(id, JSON.stringify(this.answerTo(request)))
    return true
  }

  /** Whether a request answers a question that a restored call has not asked again yet. */
  private isReaskDue(request: Request): boolean {
    if (!answers.has(request._tag)) return false
    const call = this.journal.engine.calls.get((request as CallRequest).callId)
    return call?.state._tag === "Queued" && call.resume?._tag === "Asking" && !this.journal.isClosed
  }

  private answerTo(request: Request | undefined): RequestAnswer {
    try {
      if (request === undefined) throw new TypeError("This request cannot be read: it is no JSON object")
      if (request._tag === "Enqueue" && this.parts.take !== undefined)
        return { took: this.parts.take(request.calls) }
      const took = this.carryOut(request as CallRequest)
      // The task as a store keeps it, because some of its values may not be JSON.
      const isTask = request._tag === "Take" && took !== null
      return { took: isTask ? JSON.parse(taskText(took as BackgroundTask)) : took }
    } catch (error) {
      return { error: messageOf(error) }
    }
  }

  /** Removes the results of tasks that are too old, as every read of tasks does. */
  dropOldTasks(): void {
    this.executor.tasks.get("")
  }

  /** Does not end calls: the next process that runs them resumes them. */
  close(): Promise<void> {
    return this.executor.shutdown()
  }
}
