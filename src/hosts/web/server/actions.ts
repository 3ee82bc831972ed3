/** Reads the requests of a page, and refuses invalid ones before they reach the source. */
import type { EffectAnswer } from "../../../durable/requests.ts"
import type { ApproveOptions } from "../../../model/event.ts"
import { writtenOutput } from "../../written-output.ts"
import type { CallDetail, QuestionDetail, ToolDetail } from "../state/detail.ts"
import { RequestError } from "./body.ts"
import type { ChangeLog } from "./change-log.ts"
import type { PageDialogs } from "./dialogs.ts"
import type { PageSource, Took } from "./source.ts"

type Body = Readonly<Record<string, unknown>>

const textIn = (body: Body, name: string): string => {
  const value = body[name]
  if (typeof value === "string" && value !== "") return value
  throw new RequestError(400, `Expected \`${name}\` to be a text that is not empty.`)
}

const optionalText = (body: Body, name: string): string | undefined =>
  body[name] === undefined || body[name] === "" ? undefined : textIn(body, name)

/** One of these words. */
const wordIn = <Word extends string>(body: Body, name: string, words: ReadonlyArray<Word>): Word => {
  const word = words.find((each) => each === body[name])
  if (word !== undefined) return word
  const quoted = words.map((each) => `\`${each}\``)
  const list = `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`
  throw new RequestError(400, `Expected \`${name}\` to be ${list}.`)
}

/** The ids of the questions that an answer is for. */
const idsIn = (body: Body): ReadonlyArray<string> => {
  const { ids } = body
  if (Array.isArray(ids) && ids.length > 0 && ids.every((id) => typeof id === "string")) return ids
  throw new RequestError(400, "Expected `ids` to be a list of texts that is not empty.")
}

const optionsIn = (body: Body): ApproveOptions => {
  const { params, remember } = body
  const reason = optionalText(body, "reason")
  return {
    ...(params !== undefined && { params }),
    ...(reason !== undefined && { reason }),
    // The executor ignores an invalid value.
    ...(remember !== undefined && { remember: remember as NonNullable<ApproveOptions["remember"]> }),
  }
}

/** The answer to an effect: a value, nothing, or a reason to refuse. */
const effectAnswerIn = (body: Body): EffectAnswer => {
  const { value } = body
  const error = optionalText(body, "error")
  if (error !== undefined) return { error }
  if (value === undefined) return {}
  const output = writtenOutput(value)
  if (output === undefined) throw new RequestError(400, "Expected `value` to be plain JSON.")
  return { output }
}

/** Carries out the requests of pages. */
export class PageActions {
  private readonly source: PageSource
  private readonly log: ChangeLog
  private readonly dialogs: PageDialogs

  constructor(source: PageSource, log: ChangeLog, dialogs: PageDialogs) {
    this.source = source
    this.log = log
    this.dialogs = dialogs
  }

  /** Answers a request by its path. `by`: who sends it. Resolves with undefined if there is no such path. */
  async perform(path: string, body: Body, by: string | undefined): Promise<object | undefined> {
    switch (path) {
      case "/answer":
        return this.answer(body, by)
      case "/dialog": {
        const took = this.dialogs.answer(textIn(body, "id"), body.value)
        this.log.flush()
        return took
      }
      case "/resolve": {
        const action = wordIn(body, "action", ["apply", "discard"])
        const reason = optionalText(body, "reason") ?? "Decided by the user"
        return this.source.resolve({ actionId: textIn(body, "actionId"), action, reason }, by)
      }
      case "/task":
        return this.source.task(
          Number(body.key),
          wordIn(body, "action", ["cancel", "background", "take", "undo"]),
        )
      case "/call": {
        const { params, background } = body
        return {
          callId: this.source.enqueue({
            name: textIn(body, "name"),
            params,
            background: background === true,
          }),
        }
      }
      default:
        return undefined
    }
  }

  /** Returns the details for a path; undefined if there is no such path, or its subject is over. */
  read(
    path: string,
    query: URLSearchParams,
  ): CallDetail | QuestionDetail | ReadonlyArray<ToolDetail> | undefined {
    const { source, log } = this
    if (path === "/call") {
      const row = log.current.calls.get(Number(query.get("key")))
      return row && source.call(row)
    }
    if (path === "/question") return source.question(query.get("id") ?? "")
    return path === "/tools" ? source.tools() : undefined
  }

  private async answer(body: Body, by: string | undefined): Promise<Took> {
    const verdict = wordIn(body, "verdict", ["approve", "deny", "respond"])
    const ids = idsIn(body)
    const answer =
      verdict === "respond"
        ? { verdict, answer: effectAnswerIn(body) }
        : { verdict, options: optionsIn(body) }
    if (ids.length > 1 && (verdict === "respond" || "params" in body || "remember" in body))
      throw new RequestError(400, "Several questions are approved or denied as they are.")
    const took = await this.source.answer(ids, answer, by)
    this.log.flush()
    return took
  }
}
