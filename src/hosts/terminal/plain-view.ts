/** Shows the calls of an executor in a log or another output that is not a terminal: prints blocks once they have ended. */
import type { ToolEvent } from "../../model/event.ts"
import type { Tool } from "../../model/tool.ts"
import type { Block } from "./block.ts"
import { BlockList } from "./block-list.ts"
import { renderBlock } from "./render-block.ts"
import { type Style, styleOf } from "./style.ts"

export interface PlainViewOptions {
  readonly output: { write(text: string): unknown }
  readonly colors: boolean
  readonly tool: (name: string) => Tool<unknown> | undefined
}

/** A log has no right edge, but a line of minified code must not fill it. */
const width = 400

export class PlainView {
  readonly width = width
  readonly blocks = new BlockList()
  readonly style: Style
  private readonly options: PlainViewOptions

  constructor(options: PlainViewOptions) {
    this.options = options
    this.style = styleOf(options.colors)
  }

  apply(event: ToolEvent): Block | undefined {
    return this.blocks.apply(event, Date.now())
  }

  approved(callId: string): void {
    this.blocks.approved(callId, Date.now())
  }

  print(lines: ReadonlyArray<string>): void {
    this.options.output.write(lines.map((line) => `${line}\n`).join(""))
  }

  /** @param isAsked Whether a person has to decide on its output: then it is shown whole. */
  printBlock(block: Block, isAsked = false): void {
    const tool = this.options.tool(block.toolName)
    const { colors } = this.options
    this.print(
      renderBlock(block, { width, now: Date.now(), colors, isAsked, ...(tool !== undefined && { tool }) }),
    )
  }

  close(): void {}
}
