/** A tool that previews a change of `params.path` and makes it once it is applied; it notes what it did. */
import {
  type HandlerFunction,
  pipeline,
  Step,
  type ToolCallInput,
  type ToolExecutor,
  type ToolPipeline,
} from "../../src/index.ts"

export interface EditTool {
  readonly plan: (params: Record<string, unknown>) => ToolPipeline
  readonly log: ReadonlyArray<string>
}

export interface EditOptions {
  /** Default: an output. It is noted as `apply <path>` either way. */
  readonly apply?: HandlerFunction
  readonly onDiscard?: HandlerFunction
  readonly sourceToolName?: string
  readonly details?: unknown
}

export const editTool = ({ apply, ...options }: EditOptions = {}): EditTool => {
  const log: Array<string> = []
  const plan = ({ path = "a.ts" }: Record<string, unknown>) =>
    pipeline()
      .andThen(() => {
        log.push(`preview ${path}`)
        return Step.Output(`would change ${path}`)
      })
      .awaitResolve({ label: `Change ${path}`, ...options })
      .andThen((context) => {
        log.push(`apply ${path}`)
        return apply === undefined ? Step.Output(`changed ${path}`) : apply(context)
      })
      .finally(() => {
        log.push(`close ${path}`)
        return Step.Continue
      })
  return { plan, log }
}

export const apply = { action: "apply", reason: "looks right" } as const
export const discard = { action: "discard", reason: "not needed" } as const

/** What a model calls to resolve. */
export const resolveCall = (
  params: Readonly<Record<string, unknown>> = apply,
  input: Partial<ToolCallInput> = {},
): ToolCallInput => ({ callId: "r", name: "resolve", params, ...input })

/** Runs the tool `edit` up to its preview; gives the id of what is pending. */
export const stage = async (executor: ToolExecutor, path = "a.ts", agentId = "main"): Promise<string> => {
  const { status } = await executor.run({ agentId, name: "edit", params: { path } }, () => undefined)
  if (status !== "complete") throw new Error(`Expected the preview to complete, got ${status}`)
  return executor.agent(agentId).pendingActions.peek()!.actionId
}

export const labels = (executor: ToolExecutor, agentId?: string): Array<string> =>
  executor
    .agent(agentId)
    .pendingActions.list()
    .map((action) => action.label)

/** An apply that runs until its signal is aborted, and keeps the reason. */
export const abortable = (): {
  readonly handler: HandlerFunction
  readonly reasons: ReadonlyArray<unknown>
} => {
  const reasons: Array<unknown> = []
  const handler: HandlerFunction = ({ signal }) =>
    new Promise((_, reject) => {
      signal.addEventListener("abort", () => {
        reasons.push(signal.reason)
        reject(signal.reason)
      })
    })
  return { handler, reasons }
}
