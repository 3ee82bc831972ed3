/** The parts of a block, for hosts with other layouts. */
import type { Block } from "./block.ts"
import { isFailedCommand } from "./command-exit.ts"
import { foldLines, wrappedLines } from "./render-text.ts"
import { type Style, styleOf } from "./style.ts"

/** How a part is drawn. */
export interface RenderPartOptions {
  /** Whether colours are used. Default true. */
  readonly colors?: boolean
}

/** How a status is drawn. */
export interface RenderStatusOptions extends RenderPartOptions {
  /** Milliseconds since the epoch: animates the spinner of a running call, which is a static symbol without it. */
  readonly now?: number
}

/** How a result is drawn. */
export interface RenderResultOptions extends RenderPartOptions {
  /** In columns, including the indent; lines are wrapped to it. Default: no wrapping. */
  readonly width?: number
  /** Whether more output follows: then only the last lines are kept, otherwise the first and the last. Default false. */
  readonly isPartial?: boolean
}

/** How a prompt is drawn. */
export interface RenderPromptOptions extends RenderPartOptions {
  /** Whether the host can remember the answer, so that `[a]lways` is offered. Default false. */
  readonly remembers?: boolean
}

/** The beginning of a block's lines below the first. */
export const indent = "  "

const spinner = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"] as const

/** Milliseconds of one frame of the spinner. */
export const spinnerInterval = 100

/** The spinner's symbol at a time. */
export const spinnerFrame = (now: number): string =>
  spinner[Math.floor(now / spinnerInterval) % spinner.length]!

/** The symbol of a status. */
export const statusIcon = ({ status, details }: Pick<Block, "status" | "details">, style: Style): string => {
  switch (status) {
    case "queued":
      return style.dim("?")
    case "pending":
      return style.ask("?")
    case "running":
      return style.busy("⚙")
    case "complete":
      return isFailedCommand(details) ? style.bad("✗") : style.good("✓")
    case "error":
      return style.bad("✗")
    case "denied":
    case "cancelled":
      return style.ask("⊘")
  }
}

/** The mark of a background call; nothing for others. */
export const backgroundMark = (background: boolean, style: Style): string =>
  background ? style.dim("[bg] ") : ""

/** The keys that answer a gate. */
export const approvalKeys = (remembers: boolean, style: Style, mayEdit = false): string =>
  [
    `${indent}${style.good("[y]es")} ${style.bad("[n]o")}`,
    ...(remembers ? [style.ask("[a]lways")] : []),
    ...(mayEdit ? [style.ask("[e]dit")] : []),
  ].join(" ")

/** One column: a question mark while the call waits, a spinner while it runs, then how it ended. A command that failed has a cross. */
export const renderStatus = (
  block: Pick<Block, "status" | "details">,
  { colors = true, now }: RenderStatusOptions = {},
): string => {
  const style = styleOf(colors)
  return block.status === "running" && now !== undefined
    ? style.busy(spinnerFrame(now))
    : statusIcon(block, style)
}

/** Returns `[bg] ` for a call that runs in the background, an empty string for others. */
export const renderPrefix = (background: boolean, { colors = true }: RenderPartOptions = {}): string =>
  backgroundMark(background, styleOf(colors))

/** The line below a gate: `  [y]es [n]o`, with ` [a]lways` if the answer can be remembered. */
export const renderApprovalPrompt = ({
  colors = true,
  remembers = false,
}: RenderPromptOptions = {}): string => approvalKeys(remembers, styleOf(colors))

/**
 * The indented lines of an output: at most `maxLines`, plus one that tells how many are omitted. The text is untrusted:
 * escapes and everything else that could change the screen are removed. Text that a person decides on must not be cut: use
 * `renderBlock`.
 */
export const renderResult = (
  text: string,
  maxLines = 10,
  { colors = true, width = Number.POSITIVE_INFINITY, isPartial = false }: RenderResultOptions = {},
): Array<string> =>
  foldLines(
    wrappedLines(text, width - indent.length),
    { max: maxLines, tail: isPartial },
    styleOf(colors),
  ).map((line) => indent + line)
