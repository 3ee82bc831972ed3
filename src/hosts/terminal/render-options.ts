import type { Tool } from "../../pipeline/model/tool.ts"

/** How a block is drawn. */
export interface RenderBlockOptions {
  /** In columns; Infinity cuts nothing. */
  readonly width: number
  /** Milliseconds since the epoch, for the spinner and the elapsed time. */
  readonly now: number
  readonly colors: boolean
  /** The block's tool, for its main parameter and its own renderers. */
  readonly tool?: Tool<unknown>
  /** Lines of output that are shown, and twice as many of a diff; of a gate all are. Default 10; Infinity shows all. */
  readonly maxLines?: number
  /** What is said behind the number of lines that a fold hides. */
  readonly moreNote?: string
  /** Whether this gate is the one that the keys answer. Default true. */
  readonly answerable?: boolean
  /** What `a` would remember at a gate; false where nothing can be. Default: not said. */
  readonly remembers?: ReadonlyArray<string> | false
  /** Whether `e` edits the call at a gate. Default false. */
  readonly mayEdit?: boolean
  /** Whether somebody is to decide on what its output says: nothing of that is folded or left out. Default false. */
  readonly isAsked?: boolean
  /** A few dim words behind the elapsed time of a call that runs. */
  readonly hint?: string
}
