/** The first line of a block: what runs, on what, in which state, for how long. */
import type { Tool } from "../../pipeline/model/tool.ts"
import type { Block } from "./block.ts"
import { clip, columnsOf } from "./columns.ts"
import { printable } from "./printable.ts"
import type { RenderBlockOptions } from "./render-block.ts"
import { singleLine } from "./render-text.ts"
import type { Style } from "./style.ts"

const spinner = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"] as const

/** How long a frame of the spinner lasts, in milliseconds. */
export const spinnerInterval = 100

const statusIcon = (block: Block, style: Style): string => {
  switch (block.status) {
    case "queued":
      return style.dim("?")
    case "pending":
      return style.ask("?")
    case "running":
      return style.busy("⚙")
    case "complete":
      return style.good("✓")
    case "error":
      return style.bad("✗")
    case "denied":
    case "cancelled":
      return style.ask("⊘")
  }
}

const twoDigits = (value: number): string => String(value).padStart(2, "0")

/** `1.4s`, `12s`, `3m 05s`, `2h 10m`. */
export const formatElapsed = (milliseconds: number): string => {
  const seconds = Math.max(0, milliseconds) / 1000
  if (seconds < 9.95) return `${seconds.toFixed(1)}s`
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole}s`
  if (whole < 3600) return `${Math.floor(whole / 60)}m ${twoDigits(whole % 60)}s`
  return `${Math.floor(whole / 3600)}h ${twoDigits(Math.floor((whole % 3600) / 60))}m`
}

const timing = (block: Block, { now }: RenderBlockOptions, style: Style): string => {
  const { status, startedAt, endedAt } = block
  if (status === "queued") return style.dim(" queued")
  if (startedAt === undefined) return ""
  if (status === "running") {
    const frame = spinner[Math.floor(now / spinnerInterval) % spinner.length]!
    return ` ${style.busy(frame)} ${style.dim(formatElapsed(now - startedAt))}`
  }
  if (endedAt === undefined || endedAt - startedAt < 1000) return ""
  return ` ${style.dim(formatElapsed(endedAt - startedAt))}`
}

/** The parameters by name; none where they are no object. */
export const entriesOf = (params: unknown): Array<[name: string, value: unknown]> =>
  typeof params === "object" && params !== null && !Array.isArray(params) ? Object.entries(params) : []

export interface MainArgument {
  /** Undefined where no parameter is a string: the text is all of them as JSON. */
  readonly name?: string
  readonly text: string
}

/** The tool's primary parameter, else the first that is a string, else all of them. */
export const mainArgumentOf = (params: unknown, tool: Tool<unknown> | undefined): MainArgument => {
  const entries = entriesOf(params)
  const texts = entries.filter((entry): entry is [string, string] => typeof entry[1] === "string")
  const main = texts.find(([name]) => name === tool?.primaryParam) ?? texts[0]
  if (main !== undefined) return { name: main[0], text: main[1] }
  return { text: entries.length === 0 ? "" : (JSON.stringify(params) ?? "") }
}

export interface Header {
  readonly line: string
  /** Whether the main argument stands in it whole. */
  readonly complete: boolean
}

/** @param drawn The first line of what the tool's own renderer drew, which takes the place of name and argument. */
export const renderHeader = (
  block: Block,
  options: RenderBlockOptions,
  style: Style,
  drawn: string | undefined,
): Header => {
  const agent = block.agentId === "main" ? "" : style.dim(`${clip(singleLine(block.agentId), 24)} `)
  const start = `${statusIcon(block, style)} ${block.background ? style.dim("[bg] ") : ""}${agent}`
  const end = timing(block, options, style)
  const room = options.width - columnsOf(start) - columnsOf(end)
  const hinted = (line: string): string => {
    const { hint } = options
    const fits = hint !== undefined && columnsOf(line) + 2 + columnsOf(hint) <= options.width
    return fits && block.status === "running" ? `${line}  ${style.dim(hint)}` : line
  }
  if (drawn !== undefined) {
    const fitting = columnsOf(drawn) <= room ? drawn : clip(printable(drawn), room)
    return { line: hinted(start + fitting + end), complete: false }
  }
  const name = clip(singleLine(block.toolName.replace(/^mcp_/, "")), Math.max(8, room - 2))
  const { text } = mainArgumentOf(block.params, options.tool)
  const argument = clip(singleLine(text), Math.max(0, room - columnsOf(name) - 2))
  const call = `${style.name(name)}${style.dim("(")}${argument}${style.dim(")")}`
  return { line: hinted(start + call + end), complete: argument === text }
}
