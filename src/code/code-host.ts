/** The host functions of code: the tools that it can call, each as a nested call of the executor. */
import { formatMillis } from "../model/duration.ts"
import type { ToolResult } from "../model/event.ts"
import type { HandlerContext } from "../model/handler.ts"
import type { ToolDefinition } from "../model/tool-definition.ts"
import { didYouMean } from "../text/near-name.ts"
import { AnswerOrder, type AnswersAmong } from "./answer-order.ts"
import { BusyClock } from "./busy-clock.ts"
import type { CodeBounds } from "./code-limits.ts"
import { CodePlan } from "./code-plan.ts"
import { leftOut } from "./guest-program.ts"
import { lineOf, searchIn, signatureOf } from "./signatures.ts"

/** The answer sent to the code, as JSON. */
type Answer =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly denied: boolean; readonly message: string; readonly reason?: string }

const failure = (message: string, reason = "failed"): Answer => ({
  ok: false,
  denied: false,
  message,
  reason,
})

/** Maximum number of tools in a search result. */
const mostFound = 20

/** The host of one run. */
export class CodeHost {
  /** Why the run was ended, as a sentence for the model. */
  ended: string | undefined
  log = ""
  /** Undefined for code without a plan. */
  readonly plan: CodePlan | undefined
  readonly clock: BusyClock
  private readonly context: HandlerContext
  private readonly tools: ReadonlyArray<ToolDefinition>
  private readonly mayCall: (name: string) => boolean
  private readonly bounds: CodeBounds
  private readonly stop = new AbortController()
  private readonly order: AnswerOrder
  private calls = 0

  constructor(
    context: HandlerContext,
    tools: ReadonlyArray<ToolDefinition>,
    mayCall: (name: string) => boolean,
    bounds: CodeBounds,
    plans: boolean,
  ) {
    this.plan = plans ? new CodePlan(context) : undefined
    this.context = context
    this.tools = tools
    this.mayCall = mayCall
    this.bounds = bounds
    context.memory.answers ??= []
    this.order = new AnswerOrder(context.memory.answers as AnswersAmong)
    this.clock = new BusyClock(bounds.time, () =>
      this.end(
        `The code computed for ${formatMillis(bounds.time)} without calling a tool, which is as long as it may. Look for a loop that does not end, or do less at once.`,
      ),
    )
  }

  /** Aborted when the call is cancelled, and when a limit is reached. */
  get signal(): AbortSignal {
    return AbortSignal.any([this.context.signal, this.stop.signal])
  }

  /** The functions that cross into the sandbox. */
  get functions(): Record<string, (...given: Array<never>) => Promise<string | undefined>> {
    return {
      log: async (given: unknown) => {
        // `console.log` of the code stays within the bound; code may call this without it.
        const room = this.bounds.log + leftOut.length - this.log.length
        const text = String(given).slice(0, Math.max(0, room))
        this.log += text
        // The consumer's time is not the code's.
        if (text !== "") await this.clock.during(this.context.delta(text))
        return undefined
      },
      call: (name: unknown, params: unknown) => this.answer(this.call(String(name), String(params))),
      describe: (name: unknown) => this.answer(this.describe(String(name))),
      search: (words: unknown) => this.answer(this.search(String(words))),
    }
  }

  private end(why: string): void {
    this.ended ??= why
    this.stop.abort()
  }

  private async answer(given: Answer | Promise<Answer>): Promise<string> {
    const text = JSON.stringify(await this.order.inTurn(given))
    const { bytes } = this.bounds
    if (Buffer.byteLength(text) <= bytes) return text
    return JSON.stringify(failure(`The result has more than ${bytes} bytes. Ask for less at once.`, "limit"))
  }

  private async call(name: string, params: string): Promise<Answer> {
    const { calls, bytes } = this.bounds
    if (!this.mayCall(name)) return failure(this.unknown(name), "unknown-tool")
    if (Buffer.byteLength(params) > bytes)
      return failure(`The parameters have more than ${bytes} bytes. Pass less at once.`, "limit")
    this.calls += 1
    if (this.calls > calls) {
      this.end(
        `The code has made ${calls} calls, the most that one run may make. Do the rest in another run.`,
      )
      return failure("No more calls", "limit")
    }
    const given: unknown = JSON.parse(params)
    const made = this.plan?.call(name, given) ?? this.context.call(name, given)
    const result = await this.clock.during<number | ToolResult>(made)
    if (typeof result === "number") return { ok: true, value: { planned: result } }
    if (result.status === "cancelled")
      this.end(`The call of "${name}" was cancelled, and the run with it: ${result.content}`)
    return answerOf(result)
  }

  private unknown(name: string): string {
    const names = this.tools.map((tool) => tool.name)
    return `There is no tool "${name}" for code.${didYouMean(name, names) || ` Tools: ${names.join(", ")}`}`
  }

  private describe(name: string): Answer {
    const tool = this.tools.find((each) => each.name === name)
    if (tool === undefined) return failure(this.unknown(name), "unknown-tool")
    return {
      ok: true,
      value: `${signatureOf(tool)}\n${tool.description}\n${JSON.stringify(tool.parameters)}`,
    }
  }

  private search(words: string): Answer {
    return { ok: true, value: searchIn(this.tools, words).slice(0, mostFound).map(lineOf).join("\n") }
  }
}

/** Code gets the structured data of a tool's result, or else its text. */
const answerOf = ({ status, content, output, reason }: ToolResult): Answer => {
  if (status === "complete" || status === "background")
    return { ok: true, value: output.structured === undefined ? content : output.structured }
  return { ok: false, denied: status === "denied", message: content, reason: reason ?? status }
}
