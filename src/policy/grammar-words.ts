/** Reads the words of a command line by the grammar of GRAMMAR.md, and refuses everything else. */

/** Why a line is not understood. */
export class NotUnderstood extends Error {}

/** `sh` may be any shell, so syntax that only bash has is refused. */
export type Dialect = "bash" | "sh"

export interface GrammarWord {
  readonly source: string
  /** The text that bash passes on; undefined if anything expands. */
  readonly value: string | undefined
}

const plain = /(?:[\w@%+=:,./^*?!~]|-|[^\x00-\x7f])+/y
const name = /[A-Za-z_]\w*/y
const escapable = /[!-~ ]/
const braces = /\{[\w@%+=:,./^*?!~-]*\}/y
const bracket = /\[[!^]?[\w.,:@%+-]*\]/y
const parameter = /\$(?:[A-Za-z_]\w*|[\d@*#?$!-])/y
const braced = /\$\{(?:#?(?:[A-Za-z_]\w*|\d+|[@*])|[?#!$-]|[A-Za-z_]\w*\[(?:\d+|[@*])\])\}/y
const operand = String.raw`(?:[\w@%+=:,./^*?!~# -]|\$[A-Za-z_]\w*)*`
const operated = new RegExp(
  String.raw`\$\{(?:[A-Za-z_]\w*|\d+)(?:\[(?:\d+|[@*])\])?(?::?[-+=?]|##?|%%?|//?|\^\^?|,,?)${operand}\}`,
  "y",
)
const sliced = /\$\{(?:[A-Za-z_]\w*|\d+|[@*]):\d+(?::\d+)?\}/y
const portable = new RegExp(
  String.raw`\$\{(?:#?(?:[A-Za-z_]\w*|\d+)|(?:[A-Za-z_]\w*|\d+)(?::?[-+=?]|##?|%%?)${operand})\}`,
  "y",
)
const arithmetic = /\$\(\((?:[\w \t+*/%-]|\$[A-Za-z_]\w*)*\)\)/y
const ansiC =
  /(?:[^'\\]|\\(?:[\\'"abefnrtv]|x(?:0[1-9A-Fa-f]|[1-7][\dA-Fa-f])|0(?:0[1-7]|[1-7][0-7])|1[0-7]{2}))*'/y

const escapes: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  e: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
}

const decodeAnsiC = (text: string): string =>
  text.replace(/\\(x..|\d{3}|.)/g, (_, code: string) => {
    if (code.length === 1) return escapes[code] ?? code
    const digits = code.startsWith("x") ? code.slice(1) : code
    return String.fromCharCode(Number.parseInt(digits, code.startsWith("x") ? 16 : 8))
  })

/** Whether some locales treat a single byte of a text as a blank. */
const mayBeBlank = (text: string): boolean =>
  /[^\x00-\x7f]/.test(text) && new TextEncoder().encode(text).some((byte) => byte === 0x85 || byte === 0xa0)

export abstract class WordScanner {
  protected at = 0
  protected readonly source: string
  protected readonly dialect: Dialect
  /** Whether the scanner is in a backquote or a here-document: no quotes, backslashes or newlines. */
  protected bare = false
  /** Whether the scanner is in a here-document, where quotes are text. */
  protected inBody = false

  constructor(source: string, dialect: Dialect) {
    this.source = source
    this.dialect = dialect
  }

  /** Reads a list up to its closing character, and skips that character. */
  protected abstract substitution(close: ")" | "`"): void
  /** Whether a here-document still needs its body: no newline may come before the body. */
  protected abstract get awaitsBody(): boolean

  protected refuse(reason: string): never {
    throw new NotUnderstood(reason)
  }

  protected get next(): string {
    return this.source.charAt(this.at)
  }

  protected sees(text: string): boolean {
    return this.source.startsWith(text, this.at)
  }

  protected match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.source)
    if (found === null) return undefined
    this.at += found[0].length
    return found[0]
  }

  protected bashOnly(construct: string): void {
    if (this.dialect !== "bash") this.refuse(`shells other than bash read ${construct} differently`)
  }

  /** Reads the word that begins here. `first`: whether an assignment is allowed here. */
  protected word(first = false): GrammarWord {
    const start = this.at
    let value: string | undefined = ""
    const add = (text: string | undefined): void => {
      value = text === undefined || value === undefined ? undefined : value + text
    }
    if (/^[<>]\(/.test(this.source.slice(start, start + 2))) {
      this.bashOnly("a process substitution")
      this.at += 2
      this.substitution(")")
      if (!this.isBoundary()) this.refuse("a process substitution touches a word")
      return { source: this.source.slice(start, this.at), value: undefined }
    }
    while (!this.isBoundary()) add(this.piece(start, first))
    if (this.at === start)
      this.refuse(
        this.at < this.source.length
          ? `\`${this.next}\` is in the place of a word`
          : "the line ends too early",
      )
    return { source: this.source.slice(start, this.at), value }
  }

  /** Whether a word ends here. */
  protected isBoundary(): boolean {
    const next = this.next
    if (next === "`") return this.bare
    // A continuation is only allowed between blanks, so the blank before it ends the word.
    return next === "" || " \t\n;&|)".includes(next)
  }

  private piece(start: number, first: boolean): string | undefined {
    const from = this.at
    const text = this.match(plain)
    if (text !== undefined) {
      if (mayBeBlank(text)) this.refuse("an unquoted character that some locales take for a blank")
      const head = from === start ? "=" : this.source.charAt(from - 1)
      return /[*?]|[=:]~/.test(head + text) ? undefined : text
    }
    switch (this.next) {
      case "'":
        return this.singleQuoted()
      case '"':
        return this.doubleQuoted()
      case "\\":
        return this.escaped()
      case "$":
        return this.dollar(false)
      case "`":
        return this.backquoted()
      case "{":
        return this.braces()
      case "[":
        return this.bracket(start, first)
      case "]":
        return this.closingBracket(start)
      case "#":
        if (from === start) break
        this.at += 1
        return "#"
      case "<":
      case ">":
      case "(":
        return this.refuse(`\`${this.next}\` touches a word`)
    }
    return this.refuse(`an unquoted \`${this.next}\` within a word`)
  }

  private singleQuoted(): string {
    if (this.bare) this.refuse("a quote in a backquote or a here-document")
    const end = this.source.indexOf("'", this.at + 1)
    if (end < 0) this.refuse("a quote is not closed")
    const text = this.source.slice(this.at + 1, end)
    this.noNewline(text)
    this.at = end + 1
    return text
  }

  private noNewline(text: string): void {
    if (this.awaitsBody && text.includes("\n"))
      this.refuse("a newline in quotes before a here-document's body")
  }

  private escaped(): string {
    const character = this.source.charAt(this.at + 1)
    if (this.bare) this.refuse("a backslash in a backquote or a here-document")
    if (character === "\n") this.refuse("a line continues elsewhere than between blanks")
    if (!escapable.test(character)) this.refuse("a backslash before an unprintable character")
    this.at += 2
    return character
  }

  private doubleQuoted(): string | undefined {
    if (this.bare) this.refuse("a quote in a backquote or a here-document")
    this.at += 1
    let value: string | undefined = ""
    for (;;) {
      const text = this.match(/[^"\\$`]+/y)
      let piece: string | undefined = text
      if (text !== undefined) this.noNewline(text)
      else if (this.next === '"') break
      else piece = this.quotedSpecial()
      value = piece === undefined || value === undefined ? undefined : value + piece
    }
    this.at += 1
    return value
  }

  /** A backslash, dollar or backquote within double quotes or a here-document. */
  protected quotedSpecial(): string | undefined {
    if (this.next === "$") return this.dollar(true)
    if (this.next === "`") return this.backquoted()
    if (this.next !== "\\") this.refuse("a quote is not closed")
    const character = this.source.charAt(this.at + 1)
    if (character === "" || character === "\n") {
      this.refuse("a line continues elsewhere than between blanks")
    }
    this.at += 2
    return '$`"\\'.includes(character) ? character : `\\${character}`
  }

  private dollar(quoted: boolean): string | undefined {
    if (this.match(parameter) !== undefined || this.match(arithmetic) !== undefined) return undefined
    const next = this.source.charAt(this.at + 1)
    switch (next) {
      case "(":
        if (this.source.charAt(this.at + 2) === "(")
          this.refuse("an arithmetic expansion with more than numbers and names")
        this.at += 2
        this.substitution(")")
        return undefined
      case "{": {
        const read = this.dialect === "bash" ? [braced, operated, sliced] : [portable]
        if (read.some((pattern) => this.match(pattern) !== undefined)) return undefined
        return this.refuse("a braced expansion that holds more than a name and plain text")
      }
      case "'":
        if (quoted || this.bare) break
        return this.ansiC()
    }
    const literal = quoted ? /[ \t\n|/.,:;)%^&~+=<>}]/ : /[ \t\n]|^$/
    const closes = next === '"' && quoted && !this.inBody
    if (!closes && !literal.test(next)) this.refuse(`\`$${next}\` is no plain expansion`)
    this.at += 1
    return "$"
  }

  private ansiC(): string {
    this.bashOnly("`$'…'`")
    this.at += 2
    const text = this.match(ansiC)
    if (text === undefined) return this.refuse("an escape in `$'…'` that versions of bash read differently")
    this.noNewline(text)
    return decodeAnsiC(text.slice(0, -1))
  }

  private backquoted(): undefined {
    if (this.bare) this.refuse("a backquote in a backquote or a here-document")
    this.at += 1
    this.substitution("`")
  }

  private braces(): string | undefined {
    const text = this.match(braces)
    if (text === undefined) return this.refuse("a brace that is not closed by a brace in the same plain word")
    if (!/,|\.\./.test(text)) return text
    this.bashOnly("`{…}`")
    return undefined
  }

  private bracket(start: number, first: boolean): string | undefined {
    const before = this.source.slice(start, this.at)
    this.at += 1
    if (before === "" && this.isBoundary()) return "["
    this.at -= 1
    if (first && /^[A-Za-z_]\w*$/.test(before)) this.refuse("an array's element")
    const text = this.match(bracket)
    if (text === undefined)
      return this.refuse("a bracket that is not closed by a bracket in the same plain word")
    if (text.startsWith("[^")) this.bashOnly("`[^`")
    return undefined
  }

  private closingBracket(start: number): string {
    const text = this.match(/\]\]?/y)!
    if (this.at - text.length !== start || !this.isBoundary()) this.refuse("a bracket that closes nothing")
    return text
  }

  protected readName(): string | undefined {
    return this.match(name)
  }
}
