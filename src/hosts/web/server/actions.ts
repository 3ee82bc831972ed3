/** What a page asks of the executor. An answer to something that is over takes no effect, and says so. */
import type { ToolExecutor } from "../../../pipeline/executor.ts"
import type { ApproveOptions, ToolEvent } from "../../../pipeline/model/event.ts"
import { messageOf } from "../../../pipeline/model/failure.ts"
import type { ToolRegistry } from "../../../pipeline/model/registry.ts"
import { answerEffect } from "../../terminal/answer-effect.ts"
import type { CallDetail, QuestionDetail, ToolDetail } from "../state/detail.ts"
import { RequestError } from "./body.ts"
import type { ChangeLog } from "./change-log.ts"
import type { Recorder } from "./recorder.ts"

type Body = Readonly<Record<string, unknown>>

/** What the page's server works on. */
export interface Served {
  readonly executor: ToolExecutor
  readonly recorder: Recorder
  readonly log: ChangeLog
  /** The tools that may be called from the page; undefined where none may. */
  readonly tools: ToolRegistry | undefined
}

/** Whether it took effect, and what there is to say about that. */
export interface Took {
  readonly took: boolean
  readonly message?: string
}

const textIn = (body: Body, name: string): string => {
  const value = body[name]
  if (typeof value === "string" && value !== "") return value
  throw new RequestError(400, `Expected \`${name}\` to be a text that is not empty.`)
}

const optionalText = (body: Body, name: string): string | undefined =>
  body[name] === undefined || body[name] === "" ? undefined : textIn(body, name)

const optionsIn = (body: Body): ApproveOptions => {
  const { params, remember } = body
  const reason = optionalText(body, "reason")
  return {
    ...(params !== undefined && { params }),
    ...(reason !== undefined && { reason }),
    // What means nothing remembers nothing: the executor reads it.
    ...(remember !== undefined && { remember: remember as NonNullable<ApproveOptions["remember"]> }),
  }
}

/** Carries out what pages ask. */
export class PageActions {
  private readonly served: Served
  /** The previews that are being resolved for a page: a second click does not reach the next one. */
  private readonly resolving = new Set<string>()

  constructor(served: Served) {
    this.served = served
  }

  /** Answers a request by its path; undefined where there is no such path. */
  perform(path: string, body: Body): object | undefined {
    switch (path) {
      case "/answer":
        return this.answer(body)
      case "/resolve":
        return this.resolve(body)
      case "/task":
        return this.task(body)
      case "/call":
        return this.call(body)
      default:
        return undefined
    }
  }

  /** Tells what is opened; undefined where there is no such path, or what it names is over. */
  read(
    path: string,
    query: URLSearchParams,
  ): CallDetail | QuestionDetail | ReadonlyArray<ToolDetail> | undefined {
    const { recorder, log, tools } = this.served
    if (path === "/call") {
      const key = Number(query.get("key"))
      const row = log.current.calls.get(key)
      return row && recorder.book.get(key)?.detail(row)
    }
    if (path === "/question") {
      const question = recorder.questions.get(query.get("id") ?? "")
      return question && recorder.questions.detail(question)
    }
    if (path !== "/tools" || tools === undefined) return undefined
    return tools
      .definitions()
      .map(({ name, description, parameters }) => ({ name, description, schema: parameters }))
  }

  private answer(body: Body): Took {
    const { recorder, log } = this.served
    const { verdict } = body
    if (verdict !== "approve" && verdict !== "deny")
      throw new RequestError(400, "Expected `verdict` to be `approve` or `deny`.")
    const took = recorder.questions.answer(textIn(body, "id"), { verdict, options: optionsIn(body) })
    log.flush()
    return took ? { took } : { took, message: "This was answered elsewhere, or its call has ended." }
  }

  /** Only the latest preview of an agent can be resolved: another one that came meanwhile is not meant. */
  private resolve(body: Body): Took {
    const { executor } = this.served
    const actionId = textIn(body, "actionId")
    const { action } = body
    if (action !== "apply" && action !== "discard")
      throw new RequestError(400, "Expected `action` to be `apply` or `discard`.")
    const agent = executor.agent(textIn(body, "agentId"))
    const latest = agent.pendingActions.peek()
    if (latest?.actionId !== actionId || this.resolving.has(actionId)) {
      const isThere = agent.pendingActions.list().some((other) => other.actionId === actionId)
      const message =
        isThere && !this.resolving.has(actionId)
          ? `Decide about “${latest?.label}” first: it came after this one.`
          : "This was decided elsewhere."
      return { took: false, message }
    }
    this.resolving.add(actionId)
    const over = () => this.resolving.delete(actionId)
    const reason = optionalText(body, "reason") ?? "Decided by the user"
    // A gate that is left stands in the inbox.
    const onEvent = (event: ToolEvent) => {
      if (event._tag === "Delegate") answerEffect(event)
    }
    void agent.resolve({ action, reason }, { onEvent }).then(over, over)
    return { took: true }
  }

  private task(body: Body): Took & { readonly content?: string } {
    const { executor } = this.served
    const callId = textIn(body, "callId")
    switch (body.action) {
      case "cancel": {
        const took = executor.cancelCall(callId, "Cancelled by user")
        return took ? { took } : { took, message: "It has ended already." }
      }
      case "background": {
        const took = executor.toBackground(callId)
        return took ? { took } : { took, message: "It cannot go to the background." }
      }
      case "take": {
        const task = executor.tasks.take(callId)
        return task === undefined
          ? { took: false, message: "Its result was taken already, or it still runs." }
          : { took: true, content: task.content }
      }
      default:
        throw new RequestError(400, "Expected `action` to be `cancel`, `background` or `take`.")
    }
  }

  private call(body: Body): object {
    const { executor, tools } = this.served
    const name = textIn(body, "name")
    if (tools === undefined) throw new RequestError(403, "No calls are made from this page.")
    if (tools?.get(name) === undefined)
      throw new RequestError(403, `The tool ${name} is not called from this page.`)
    try {
      const [callId] = executor.enqueue([{ name, params: body.params, background: body.background === true }])
      return { callId }
    } catch (error) {
      throw new RequestError(400, messageOf(error))
    }
  }
}
