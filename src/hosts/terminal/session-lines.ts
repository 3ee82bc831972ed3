/** Handles entered lines: calls, which it numbers, and the session's own commands. */
import { getBackgroundTaskTool } from "../../impls/get-background-task.ts"
import { queuedBlock } from "./block.ts"
import type { BlockView } from "./block-view.ts"
import { wrap } from "./columns.ts"
import { type CallableTools, type Input, parseInput } from "./input.ts"
import { prompt } from "./prompt.ts"
import { visibleLine } from "./render-text.ts"
import { noTask, performCommand } from "./session-commands.ts"
import type { SessionOptions } from "./session-options.ts"
import type { SessionReport } from "./session-report.ts"

/** The part of the session that its lines use. */
export interface LinesSession
  extends Required<Pick<SessionOptions, "executor" | "corrections" | "callPrefix" | "callsBefore">> {
  readonly by: string | undefined
  readonly tools: CallableTools
  readonly view: BlockView
  readonly report: SessionReport
  say(text: string): void
  leave(): void
}

/** Carries out entered lines. */
export class SessionLines {
  private readonly session: LinesSession
  /** The number of the last call, which ends its id. */
  private calls: number

  constructor(session: LinesSession) {
    this.session = session
    this.calls = session.callsBefore
  }

  /** Handles an entered line. */
  submit(line: string): void {
    const { tools, view, report } = this.session
    const input = parseInput(line, tools)
    if (input._tag === "Nothing") return
    report.tell()
    view.print(["", ...wrap(prompt + visibleLine(line.trimEnd()), view.width).map(view.style.bold)])
    this.perform(input)
  }

  private perform(input: Exclude<Input, { _tag: "Nothing" }>): void {
    const { executor, by, tools, view, report, corrections, say, leave } = this.session
    if (input._tag === "Unknown") return say(input.message)
    if (input._tag === "Call") return this.call(input)
    const show = report.show.bind(report)
    void performCommand(input, { executor, by, tools, view, corrections, show, say, leave })
  }

  private call(input: Extract<Input, { _tag: "Call" }>): void {
    const { executor, view, callPrefix, say } = this.session
    const { name, params, background } = input
    const missing = this.missingTask(input)
    if (missing !== undefined) return say(noTask(missing))
    this.calls += 1
    const call = { callId: `${callPrefix}${this.calls}`, name, params, background }
    view.blocks.set(queuedBlock(call))
    executor.enqueue([call])
  }

  /** Returns an unknown task id: people mistype ids, and the call's own answer is meant for a model. */
  private missingTask({ name, params }: Extract<Input, { _tag: "Call" }>): string | undefined {
    const id = name === getBackgroundTaskTool.name ? params.task_id : undefined
    return typeof id === "string" && this.session.executor.tasks.get(id) === undefined ? id : undefined
  }
}
