/** What both runtimes' tools have in common, as the adapters read it: authors leave out what they like. */

/** Whose tool it is. */
export type Runtime = "omp" | "pi"

/** Takes whatever arguments it is called with. */
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
