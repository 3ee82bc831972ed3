/** The first line of a block: what runs, on what, in which state, for how long. */
import type { Tool } from "../../model/tool.ts"
import { shownJson } from "../shown-json.ts"
import type { Block } from "./block.ts"
import { clip, columnsOf } from "./columns.ts"
import { printable } from "./printable.ts"
import type { RenderBlockOptions } from "./render-options.ts"
import { backgroundMark, spinnerFrame, statusIcon } from "./render-parts.ts"
import { visibleLine, withLineEnds } from "./render-text.ts"
import type { Style } from "./style.ts"
import { breakVisible } from "./visible-rows.ts"

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
    return ` ${style.busy(spinnerFrame(now))} ${style.dim(formatElapsed(now - startedAt))}`
  }
  if (endedAt === undefined || endedAt - startedAt < 1000) return ""
  return ` ${style.dim(formatElapsed(endedAt - startedAt))}`
}

/** The parameters by name; none if they are not an object. */
export const entriesOf = (params: unknown): Array<[name: string, value: unknown]> =>
  typeof params === "object" && params !== null && !Array.isArray(params) ? Object.entries(params) : []

export interface MainArgument {
  /** Undefined if no parameter is a string: then the text is all parameters as JSON. */
  readonly name?: string
  readonly text: string
}

/** The tool's primary parameter, otherwise the first string, otherwise all parameters. */
export const mainArgumentOf = (params: unknown, tool: Tool<unknown> | undefined): MainArgument => {
  const entries = entriesOf(params)
  const texts = entries.filter((entry): entry is [string, string] => typeof entry[1] === "string")
  const main = texts.find(([name]) => name === tool?.primaryParam) ?? texts[0]
  if (main !== undefined) return { name: main[0], text: main[1] }
  return { text: entries.length === 0 ? "" : shownJson(params) }
}

/** A text that could be mistaken for nothing, or for all parameters as JSON. */
const isMistakable = ({ name, text }: MainArgument): boolean => name !== undefined && /^$|^\s|^\{/.test(text)

/** Shortens a text to a width, counted as on the terminal that draws it widest. */
const shortened = (text: string, width: number): string => {
  if (width <= 0) return ""
  // A line of a megabyte is not measured whole.
  const head = text.slice(0, 16 * width + 64)
  const [first = "", ...rest] = breakVisible(head, width)
  if (rest.length === 0 && head === text && columnsOf(first) <= width) return first
  // A mark is not broken, and can be wider than the room.
  const [cut = ""] = breakVisible(head, width - 1)
  return columnsOf(cut) < width ? `${cut}…` : "…"
}

export interface Header {
  readonly line: string
  /** The parts that the header shows in full and without ambiguity. */
  readonly shows: { readonly agent: boolean; readonly name: boolean; readonly argument: boolean }
}

/** @param drawn The first line of the tool's own renderer, instead of name and argument. */
export const renderHeader = (
  block: Block,
  options: RenderBlockOptions,
  style: Style,
  drawn: string | undefined,
): Header => {
  const agentId = visibleLine(block.agentId)
  const agent = block.agentId === "main" ? "" : style.dim(`${clip(agentId, 24)} `)
  const nested = block.parentId === undefined ? "" : style.dim("↳ ")
  const start = `${statusIcon(block, style)} ${nested}${backgroundMark(block.background, style)}${agent}`
  const end = timing(block, options, style)
  const room = options.width - columnsOf(start) - columnsOf(end)
  const hinted = (line: string): string => {
    const { hint } = options
    const fits = hint !== undefined && columnsOf(line) + 2 + columnsOf(hint) <= options.width
    return fits && block.status === "running" ? `${line}  ${style.dim(hint)}` : line
  }
  if (drawn !== undefined) {
    const fitting = columnsOf(drawn) <= room ? drawn : clip(printable(drawn), room)
    return { line: hinted(start + fitting + end), shows: { agent: false, name: false, argument: false } }
  }
  // At a gate, two tools must not look the same.
  const fullName = block.status === "pending" ? block.toolName : block.toolName.replace(/^mcp_/, "")
  const name = clip(visibleLine(fullName), Math.max(8, room - 2))
  const main = mainArgumentOf(block.params, options.tool)
  const whole = block.status === "pending" ? main.text : withLineEnds(main.text.trim(), "\n")
  const text = visibleLine(whole)
  const argument = shortened(text, Math.max(0, room - columnsOf(name) - 2))
  const call = `${style.name(name)}${style.dim("(")}${argument}${style.dim(")")}`
  const shows = {
    agent: agentId === clip(agentId, 24) && !/[\s(]/.test(agentId),
    name: name === fullName,
    argument: argument === text && !main.text.includes("\n") && !isMistakable(main),
  }
  return { line: hinted(start + call + end), shows }
}
