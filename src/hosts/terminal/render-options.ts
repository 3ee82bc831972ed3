import type { Tool } from "../../model/tool.ts"

/** How a block is drawn. */
export interface RenderBlockOptions {
  /** In columns; Infinity cuts nothing. */
  readonly width: number
  /** Milliseconds since the epoch, for the spinner and the elapsed time. */
  readonly now: number
  readonly colors: boolean
  /** The block's tool, for its main parameter and its own renderers. */
  readonly tool?: Tool<unknown>
  /** Maximum lines of output, and twice as many of a diff; a gate shows all. Default 10; Infinity shows all. */
  readonly maxLines?: number
  /** The text after the number of lines that a fold hides. */
  readonly moreNote?: string
  /** Whether the keys answer this gate. Default true. */
  readonly answerable?: boolean
  /** What `a` would remember at a gate; false if nothing can be remembered. Default: not shown. */
  readonly remembers?: ReadonlyArray<string> | false
  /** Whether `e` edits the call at a gate. Default false. */
  readonly mayEdit?: boolean
  /** Whether a person has to decide on the output: then nothing is folded or omitted. Default false. */
  readonly isAsked?: boolean
  /** A few dim words after the elapsed time of a running call. */
  readonly hint?: string
}
