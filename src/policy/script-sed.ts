/**
 * Whether a sed script only edits: addresses, and commands that neither write files nor run or read others. A script that some sed
 * might read differently, such as a delimiter within brackets, counts as doing more.
 */

const blank = /[ \t]*/y
const between = /(?:[\s;{}]|#[^\n]*)*/y
const address = /\d+(?:~\d+)?|\$/y
const delimited = /\\?([/|#,!@%_+=~])/y
const relative = /[+~]\d+/y
const plain = /[=dDgGhHnNpPxzF]|[lLqQ][ \t]*\d*/y
const label = /[btT](?:[ \t]*[\w.-]+)?|:[ \t]*[\w.-]+/y
const text = /[aic](?:[^\\\n]|\\[\s\S])+/y
const flags = /[gpIiMm\d]*/y
const end = /[ \t]*(?=[;}#\n]|$)/y

class Script {
  private readonly source: string
  private at = 0

  constructor(source: string) {
    this.source = source
  }

  isHarmless(): boolean {
    this.match(between)
    while (this.at < this.source.length) {
      if (!this.addresses() || !this.command()) return false
      this.match(between)
    }
    return true
  }

  private match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.source) ?? undefined
    this.at += found?.[0].length ?? 0
    return found
  }

  /** Reads up to the next delimiter. Returns false if its position is uncertain. `inClass`: delimiters in brackets do not count. */
  private part(delimiter: string, isPattern: boolean, inClass = false): boolean {
    const class_ = isPattern
      ? `|\\[\\^?(?![\\]^])(?:\\[:[a-z]+:\\]|\\\\[\\w.*+?$-]|[^\\]\\[\\\\\\n${inClass ? "" : delimiter}])+\\]`
      : ""
    this.match(new RegExp(`(?:[^\\\\\\n${isPattern ? "\\[" : ""}${delimiter}]|\\\\[^\\n]${class_})*`, "y"))
    if (this.source[this.at] !== delimiter) return false
    this.at += 1
    return true
  }

  private parts(delimiter: string, isPattern: boolean, inClass = false): boolean {
    return this.part(delimiter, isPattern, inClass) && this.part(delimiter, false)
  }

  /**
   * `s/[^/]*$//`, with a delimiter in brackets: a sed that ends the pattern there fails, because the text that follows is
   * not a flag.
   */
  private failsOtherwise(start: number, delimiter: string): boolean {
    const [pattern = "", text = ""] = this.source.slice(start).split(delimiter)
    const flag = this.source.charAt(start + pattern.length + text.length + 2)
    if (pattern.includes("\\") || text.includes("\\") || flag !== delimiter) return false
    this.at = start
    return this.parts(delimiter, true, true)
  }

  private address(): "none" | "one" | "unclear" {
    if (this.match(address) !== undefined) return "one"
    const next = this.source[this.at]
    if (next !== "/" && next !== "\\") return "none"
    const delimiter = this.match(delimited)?.[1]
    if (delimiter === undefined || !this.part(delimiter, true)) return "unclear"
    this.match(/[IM]*/y)
    return "one"
  }

  private addresses(): boolean {
    const first = this.address()
    if (first === "unclear") return false
    this.match(blank)
    if (first === "one" && this.match(/,[ \t]*/y) !== undefined) {
      if (this.match(relative) === undefined && this.address() !== "one") return false
      this.match(blank)
    }
    this.match(/[! \t]*/y)
    return true
  }

  private command(): boolean {
    const next = this.source[this.at]
    if (next === "{" || next === "}" || next === "#") return true
    if (this.match(text) !== undefined) return true
    if (next === "s" || next === "y") {
      this.at += 1
      const delimiter = this.match(delimited)
      if (delimiter === undefined || delimiter[0].length > 1) return false
      const start = this.at
      const isRead = this.parts(delimiter[1]!, next === "s")
      if (!isRead && !(next === "s" && this.failsOtherwise(start, delimiter[1]!))) return false
      if (next === "s") this.match(flags)
    } else if (this.match(plain) === undefined && this.match(label) === undefined) {
      return false
    }
    return this.match(end) !== undefined
  }
}

export const isHarmlessSed = (source: string): boolean =>
  source.trim() !== "" && new Script(source).isHarmless()
