/**
 * Renders Markdown as lines: headings, lists, quotes, code, rules and the inline styles; everything else, including tables,
 * is unchanged.
 */
import { visibleWidth, wrapTextWithAnsi } from "./ansi-text.ts"
import { type Paint, Text } from "./components.ts"

/** The names of the styles. */
export const markdownStyles = [
  "heading",
  "link",
  "linkUrl",
  "code",
  "codeBlock",
  "codeBlockBorder",
  "quote",
  "quoteBorder",
  "hr",
  "listBullet",
  "bold",
  "italic",
  "strikethrough",
  "underline",
] as const

/** The styles; each returns its text with terminal sequences. */
export interface MarkdownTheme extends Readonly<Record<(typeof markdownStyles)[number], Paint>> {
  highlightCode?(code: string, language?: string): Array<string>
  /** Before each line of code. Default: two spaces. */
  readonly codeBlockIndent?: string
}

export interface DefaultTextStyle {
  readonly color?: Paint
  readonly bgColor?: Paint
  readonly bold?: boolean
  readonly italic?: boolean
  readonly strikethrough?: boolean
  readonly underline?: boolean
}

const fence = /^\s*(```+|~~~+)\s*([^\s`]*)/
const heading = /^(#{1,6})\s+(.*)$/
const rule = /^\s*([-*_])(?:\s*\1){2,}\s*$/
const quote = /^\s*>\s?(.*)$/
const listItem = /^(\s*)([-*+]|\d+[.)])\s+(.*)$/

/** Whether a line begins a new block. */
const startsBlock = (line: string): boolean =>
  line.trim() === "" ||
  [fence, heading, rule, quote, listItem].some((form) => form.test(line)) ||
  line.includes("|")

/** Lengths are bounded, so that an opening mark without a closing one does not scan the whole rest. */
const inline =
  /(`+)(.{1,500}?)\1|(\*\*|__)(?=\S)(.{1,500}?)\3(?!\*)|~~(.{1,500}?)~~|\[([^\]]{1,500})\]\(([^)\s]{1,2000})[^)]{0,500}\)|(?<![\w*])([*_])(?=\S)(.{1,500}?)(?<=\S)\8(?![\w*])/g

export class Markdown extends Text {
  private readonly theme: MarkdownTheme
  private readonly style: DefaultTextStyle

  constructor(
    text: string,
    paddingX: number,
    paddingY: number,
    theme: MarkdownTheme,
    defaultTextStyle: DefaultTextStyle = {},
  ) {
    super(text, paddingX, paddingY, defaultTextStyle.bgColor)
    this.theme = theme
    this.style = defaultTextStyle
  }

  protected override linesOf(text: string, width: number): Array<string> {
    return this.blocks(text.split(/\r?\n/), width)
  }

  private blocks(source: ReadonlyArray<string>, width: number): Array<string> {
    const lines: Array<string> = []
    for (let at = 0; at < source.length; ) {
      const line = source[at]!
      if (fence.test(line)) {
        const end = this.endOfCode(source, at)
        lines.push(...this.code(source.slice(at, end), width))
        at = end
      } else if (quote.test(line)) {
        const start = at
        while (at < source.length && quote.test(source[at]!)) at++
        lines.push(...this.quote(source.slice(start, at), width))
      } else {
        const start = at++
        while (at < source.length && !startsBlock(line) && !startsBlock(source[at]!)) at++
        lines.push(...this.flow(source.slice(start, at).join(" "), width))
      }
    }
    return lines
  }

  /** The line after the closing fence, or the end if there is none. */
  private endOfCode(source: ReadonlyArray<string>, start: number): number {
    const mark = fence.exec(source[start]!)![1]!
    const close = source.findIndex((line, index) => index > start && line.trim().startsWith(mark))
    return close === -1 ? source.length : close + 1
  }

  private code(block: ReadonlyArray<string>, width: number): Array<string> {
    const { theme } = this
    const [, mark = "", language = ""] = fence.exec(block[0]!)!
    const isClosed = block.length > 1 && block.at(-1)!.trim().startsWith(mark)
    const code = block.slice(1, isClosed ? -1 : undefined)
    const painted = theme.highlightCode?.(code.join("\n"), language || undefined) ?? code.map(theme.codeBlock)
    const indent = theme.codeBlockIndent ?? "  "
    const body = painted.flatMap((line) => this.hanging(line, indent, indent, width))
    return [theme.codeBlockBorder(`\`\`\`${language}`), ...body, theme.codeBlockBorder("```")]
  }

  private quote(block: ReadonlyArray<string>, width: number): Array<string> {
    const inner = block.map((line) => quote.exec(line)![1]!)
    const border = this.theme.quoteBorder("│ ")
    return this.blocks(inner, Math.max(1, width - 2)).map((line) => border + this.theme.quote(line))
  }

  private flow(line: string, width: number): Array<string> {
    const { theme } = this
    if (line.trim() === "") return [""]
    if (rule.test(line)) return [theme.hr("─".repeat(Math.min(width, 80)))]
    const title = heading.exec(line)
    if (title !== null) {
      const [, level = "", text = ""] = title
      const shown = level.length < 3 ? text : `${level} ${text}`
      return wrapTextWithAnsi(theme.heading(theme.bold(this.inline(shown))), width)
    }
    const item = listItem.exec(line)
    if (item === null) return wrapTextWithAnsi(this.styled(this.inline(line)), width)
    const [, indent = "", bullet = "", text = ""] = item
    const rest = " ".repeat(indent.length + bullet.length + 1)
    return this.hanging(this.styled(this.inline(text)), `${indent}${theme.listBullet(bullet)} `, rest, width)
  }

  private hanging(text: string, first: string, rest: string, width: number): Array<string> {
    const lines = wrapTextWithAnsi(text, Math.max(1, width - visibleWidth(rest)))
    return lines.map((line, index) => (index === 0 ? first : rest) + line)
  }

  private inline(text: string): string {
    const { theme } = this
    return text.replace(inline, (whole, ...groups: Array<string | undefined>) => {
      const [, code, , bold, struck, label, url, , italic] = groups
      if (code !== undefined) return theme.code(code)
      if (bold !== undefined) return theme.bold(this.inline(bold))
      if (struck !== undefined) return theme.strikethrough(this.inline(struck))
      if (italic !== undefined) return theme.italic(this.inline(italic))
      if (label === undefined || url === undefined) return whole
      const link = theme.link(theme.underline(this.inline(label)))
      return label === url ? link : `${link}${theme.linkUrl(` (${url})`)}`
    })
  }

  private styled(text: string): string {
    const { color, bold, italic, underline, strikethrough } = this.style
    const paints = [
      color,
      bold && this.theme.bold,
      italic && this.theme.italic,
      underline && this.theme.underline,
      strikethrough && this.theme.strikethrough,
    ]
    return paints.reduce<string>((painted, paint) => (paint ? paint(painted) : painted), text)
  }
}
