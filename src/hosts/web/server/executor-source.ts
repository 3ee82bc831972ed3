/** The source of a page for an executor of this process: sees everything at once. */

import type { ToolEvent } from "../../../model/event.ts"
import type { ToolRegistry } from "../../../model/registry.ts"
import type { ToolExecutor } from "../../../pipeline/executor.ts"
import { messageOf } from "../../../text/message-of.ts"
import type { CallChanges } from "../../../undo/changes.ts"
import { answerEffect } from "../../terminal/answer-effect.ts"
import type { CallDetail, QuestionDetail, ToolDetail } from "../state/detail.ts"
import type { CallRow } from "../state/page-state.ts"
import { RequestError } from "./body.ts"
import type { BookedCall } from "./booked-call.ts"
import { bounded, boundedName, boundedTitle } from "./bounded.ts"
import { Recorder } from "./recorder.ts"
import {
  type Answer,
  decidedElsewhere,
  hasEnded,
  inInbox,
  notLatest,
  type OnChange,
  type PageCall,
  type PageSource,
  type Resolution,
  type TaskAction,
  type Took,
  taken,
  takenElsewhere,
} from "./source.ts"

/** Maximum number of changed paths of a call for a page. */
const maxPaths = 50

/** An unanswered gate appears in the inbox. */
const onEvent = (event: ToolEvent): void => {
  if (event._tag === "Delegate") answerEffect(event)
}

const changedBy = ({ paths, undoneBy }: CallChanges): NonNullable<CallDetail["changed"]> => {
  const lines = paths.slice(0, maxPaths).map(({ path, what }) => boundedTitle(`${path} (${what})`))
  const more = paths.length - lines.length
  return {
    paths: more > 0 ? [...lines, `and ${more} more`] : lines,
    ...(undoneBy !== undefined && { undoneBy: boundedName(undoneBy) }),
  }
}

/** Options of an executor's page. */
export interface ExecutorSourceOptions {
  readonly tell: OnChange
  readonly maxCalls: number
  /** The tools that the page can call; undefined if it can call none. */
  readonly tools: ToolRegistry | undefined
}

/** Watches one executor, and answers its questions. */
export class ExecutorSource implements PageSource {
  private readonly executor: ToolExecutor
  private readonly recorder: Recorder
  private readonly registry: ToolRegistry | undefined
  /** Previews that a page is resolving: a second click must not resolve the next one. */
  private readonly resolving = new Set<string>()

  constructor(executor: ToolExecutor, { tell, maxCalls, tools }: ExecutorSourceOptions) {
    this.executor = executor
    this.registry = tools
    this.recorder = new Recorder(executor, tell, maxCalls)
  }

  start(): () => void {
    return this.recorder.start()
  }

  active(callId: string): BookedCall | undefined {
    return this.recorder.book.active(callId)
  }

  call(row: CallRow): CallDetail | undefined {
    const booked = this.recorder.book.get(row.key)
    if (booked === undefined) return undefined
    const { agentId, callId } = booked
    const changes = this.executor.changes({ agentId, since: row.queuedAt }).find((of) => of.callId === callId)
    return { ...booked.detail(row), ...(changes && { changed: changedBy(changes) }) }
  }

  question(id: string): QuestionDetail | undefined {
    const { questions } = this.recorder
    const question = questions.get(id)
    return question && questions.detail(question)
  }

  tools(): ReadonlyArray<ToolDetail> | undefined {
    return this.registry
      ?.definitions()
      .map(({ name, description, parameters }) => ({ name, description, schema: parameters }))
  }

  answer(ids: ReadonlyArray<string>, answer: Answer, by: string | undefined): Took {
    return this.recorder.questions.answer(ids, answer, by)
  }

  /** Resolves a preview, if it is the latest of its agent, so that a click never resolves one that came after it. */
  resolve({ actionId, action, reason }: Resolution, by: string | undefined): Took {
    const agentId = this.recorder.agentOf(actionId)
    if (agentId === undefined) return decidedElsewhere
    const agent = this.executor.agent(agentId)
    const latest = agent.pendingActions.peek()
    if (this.resolving.has(actionId)) return decidedElsewhere
    if (latest?.actionId !== actionId) {
      const isThere = agent.pendingActions.list().some((other) => other.actionId === actionId)
      return isThere ? notLatest(latest!.label) : decidedElsewhere
    }
    this.resolving.add(actionId)
    const over = () => this.resolving.delete(actionId)
    const options = { onEvent, ...(by !== undefined && { by }) }
    void agent.resolve({ action, reason, actionId }, options).then(over, over)
    return { took: true }
  }

  /** Calls `undo`, whose preview appears in the inbox. Does not wait until the lane is free. */
  private async undo({ agentId, callId }: BookedCall): Promise<Took> {
    const isBusy = this.executor.inspect().some((call) => call.agentId === agentId && !call.background)
    const undone = this.executor.agent(agentId).undo({ callId }, { onEvent })
    if (isBusy) {
      void undone.catch(() => {})
      return { took: true, message: "It waits for its turn. Its preview comes to the inbox." }
    }
    const { status, content } = await undone
    if (status === "complete") return inInbox
    return { took: false, message: bounded(content, 2_000) }
  }

  task(key: number, action: TaskAction): Took | Promise<Took> {
    const { executor } = this
    const booked = this.recorder.book.get(key)
    if (booked === undefined) return hasEnded
    const { callId } = booked
    switch (action) {
      case "undo":
        return this.undo(booked)
      case "cancel":
        return executor.cancelCall(callId, "Cancelled by user") ? { took: true } : hasEnded
      case "background": {
        const took = executor.toBackground(callId)
        return took ? { took } : { took, message: "It cannot go to the background." }
      }
      case "take": {
        const task = executor.tasks.take(callId)
        return task === undefined ? takenElsewhere : taken
      }
    }
  }

  enqueue({ name, params, background }: PageCall): string {
    if (this.registry === undefined) throw new RequestError(403, "No calls are made from this page.")
    if (this.registry.get(name) === undefined)
      throw new RequestError(403, `The tool ${name} is not called from this page.`)
    try {
      const [callId] = this.executor.enqueue([{ name, params, background }])
      return callId!
    } catch (error) {
      throw new RequestError(400, messageOf(error))
    }
  }
}
