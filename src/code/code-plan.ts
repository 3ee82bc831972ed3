/** The plan of a run: calls that ask are collected, ask together when the code has ended, and run in order. */
import type { ToolResult } from "../model/event.ts"
import type { HandlerContext } from "../model/handler.ts"

/** The result of one planned call. */
export interface PlannedResult {
  /** The number that the code got for the call. */
  readonly planned: number
  readonly tool: string
  readonly status: "applied" | "denied" | "failed" | "cancelled"
  /** The tool's text, or the reason. */
  readonly message: string
}

const statuses: Readonly<Record<ToolResult["status"], PlannedResult["status"]>> = {
  complete: "applied",
  background: "applied",
  denied: "denied",
  error: "failed",
  cancelled: "cancelled",
}

/** The plan of one run. */
export class CodePlan {
  private readonly context: HandlerContext
  private readonly calls: Array<{ readonly name: string; readonly params: unknown }> = []
  /** How many calls the code has made. */
  private made = 0
  private last: Promise<unknown> = Promise.resolve()

  constructor(context: HandlerContext) {
    this.context = context
  }

  /** Collects a call that would ask, and resolves with its number. Makes any other call at once. */
  async call(name: string, params: unknown): Promise<number | ToolResult> {
    // One after another: calls must be numbered in the order in which the code makes them, in this process and in a later
    // one.
    const number = this.last.then(() => this.collect(name, params))
    const made = number.then((n) => ({
      n,
      result: n === undefined ? this.context.call(name, params) : undefined,
    }))
    this.last = made
    const { n, result } = await made
    return n ?? result!
  }

  private async collect(name: string, params: unknown): Promise<number | undefined> {
    // Stored with the call: a rule added meanwhile must not change the order of the calls in a later process.
    const { memory } = this.context
    memory.asking ??= []
    const asking = memory.asking as Array<boolean>
    const place = this.made++
    asking[place] ??= await this.context.asks(name, params)
    return asking[place] ? this.calls.push({ name, params }) : undefined
  }

  /** Makes the planned calls: all ask at once, and the approved ones run one after another. */
  async carryOut(): Promise<ReadonlyArray<PlannedResult>> {
    let before: Promise<unknown> = Promise.resolve()
    const results = this.calls.map(({ name, params }, index) => {
      const label = `${index + 1} of ${this.calls.length} planned`
      const result = this.context.call(name, params, { label, after: before })
      // A denied call can end while earlier ones still wait or run.
      before = Promise.allSettled([before, result]).then(() => undefined)
      return result
    })
    const ended = await Promise.all(results)
    return ended.map(({ status, content }, index) => ({
      planned: index + 1,
      tool: this.calls[index]!.name,
      status: statuses[status],
      message: content,
    }))
  }
}

/** A line for each planned call. */
export const planText = (results: ReadonlyArray<PlannedResult>): string =>
  results.map(({ planned, tool, status, message }) => `${planned}. ${tool} ${status}: ${message}`).join("\n")
