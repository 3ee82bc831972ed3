/** The results of tools of other agents. Both runtimes share the types. Source: the published agent-core packages. */
import type { ToolContent } from "../output/content.ts"

/** The result of `execute` of a tool of pi or oh-my-pi. */
export interface AgentToolResult<TDetails = unknown> {
  /** What the model sees. */
  readonly content: ReadonlyArray<ToolContent>
  /** What hosts and renderers see. */
  readonly details?: TDetails
  /** Reports a failure without throwing; later packages honour it. */
  readonly isError?: boolean
  /** Asks the host to end the model's turn after this result. */
  readonly terminate?: boolean
}

/** A partial result: `content` as in a result, or `output` with plain text. */
export interface AgentToolUpdate<TDetails = unknown> {
  readonly content?: ReadonlyArray<ToolContent>
  readonly output?: string
  readonly details?: TDetails
}

/** Streams a partial result; updates after the call's end are dropped. */
export type AgentToolUpdateCallback<TDetails = unknown> = (update: AgentToolUpdate<TDetails>) => void
