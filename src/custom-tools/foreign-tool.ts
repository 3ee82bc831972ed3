/** The common part of both runtimes' tools, as the adapters read it: authors can omit anything. */

/** The runtime that a tool was written for. */
export type Runtime = "omp" | "pi"

/** A renderer with any arguments. */
type Renderer = (...parts: Array<never>) => unknown

export interface ForeignTool {
  readonly name: string
  readonly label?: unknown
  readonly description: unknown
  readonly parameters: unknown
  readonly hidden?: unknown
  readonly annotations?: unknown
  readonly approval?: unknown
  readonly formatApprovalDetails?: unknown
  readonly prepareArguments?: unknown
  readonly renderCall?: Renderer
  readonly renderResult?: Renderer
}
