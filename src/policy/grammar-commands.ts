/** Reads simple commands, redirections and here-documents by the grammar of GRAMMAR.md. */
import { type GrammarWord, WordScanner } from "./grammar-words.ts"

export interface GrammarCommand {
  readonly assignments: ReadonlyArray<string>
  readonly words: ReadonlyArray<GrammarWord>
}

export interface Understood {
  readonly commands: ReadonlyArray<GrammarCommand>
  /** As written: descriptor, operator, a space, the target; for a here-document, the delimiter and the body. */
  readonly redirects: ReadonlyArray<string>
  /** Whether `[[` may evaluate arithmetic. */
  readonly evaluates: boolean
}

export const reserved = new Set(
  "if then else elif fi for while until do done case esac select function { } [[ ]] ! time coproc in".split(
    " ",
  ),
)

export abstract class CommandScanner extends WordScanner {
  readonly commands: Array<GrammarCommand> = []
  readonly redirects: Array<string> = []
  evaluates = false
  /** The here-document whose body follows the next newline, with the level of its substitution. */
  protected pending: { operator: string; delimiter: string; head: string; level: number } | undefined
  /** The number of open substitutions. */
  protected level = 0

  protected override get awaitsBody(): boolean {
    return this.pending !== undefined
  }

  /** Skips blanks and continuations between them. Returns whether there were any. */
  protected blanks(): boolean {
    const start = this.at
    for (;;) {
      this.match(/[ \t]+/y)
      if (!this.sees("\\\n")) return this.at > start
      const [before, after] = [this.source.charAt(this.at - 1), this.source.charAt(this.at + 2)]
      if (!/[ \t]/.test(before) || !/[ \t]/.test(after) || this.bare || this.pending) {
        this.refuse("a line continues elsewhere than between blanks")
      }
      this.at += 2
    }
  }

  private newline(): void {
    if (this.bare) this.refuse("a newline in a substitution of a here-document or a backquote")
    this.at += 1
    if (this.pending !== undefined) this.body()
  }

  protected newlines(): boolean {
    const start = this.at
    for (;;) {
      this.blanks()
      this.comment()
      if (this.next !== "\n") return this.at > start
      this.newline()
    }
  }

  protected comment(): void {
    if (this.next !== "#") return
    if (this.level > 0) this.refuse("a comment in a substitution")
    this.match(/[^\n\\]*/y)
    if (this.sees("\\")) this.refuse("a backslash in a comment")
  }

  /** The reserved word that begins here, if any; it is not skipped. */
  protected peekReserved(): string | undefined {
    const pattern = /(?:[a-z]+|[{}!]|\[\[|\]\])(?=[ \t\n;&|)]|$)/y
    pattern.lastIndex = this.at
    const text = pattern.exec(this.source)?.[0]
    return text !== undefined && reserved.has(text) ? text : undefined
  }

  protected simple(coproc = false): void {
    const assignments: Array<string> = []
    const words: Array<GrammarWord> = []
    for (let first = true; first || (this.blanks() && !this.endsCommand()); first = false) {
      if (words.length > 0 && this.redirect()) continue
      const start = this.at
      const isAssignment = words.length === 0 && this.match(/[A-Za-z_]\w*\+?=/y) !== undefined
      if (isAssignment && this.isBoundary()) {
        assignments.push(this.source.slice(start, this.at))
        continue
      }
      const word = this.word(words.length === 0 && !isAssignment)
      if (isAssignment) {
        assignments.push(this.source.slice(start, this.at))
        continue
      }
      if ((coproc || words.length === 0) && reserved.has(word.source)) {
        this.refuse(`\`${word.source}\` is in the place of a command`)
      }
      words.push(word)
    }
    this.commands.push({ assignments, words })
  }

  private endsCommand(): boolean {
    const { next } = this
    if (next === "#") return true
    return this.isBoundary() && !this.sees("&>")
  }

  protected redirect(): boolean {
    const text = this.match(/&>>?|\d{0,2}(?:<<<|<<-?(?!<)|>>|>\||<>|[<>]&|[<>](?!\())/y)
    if (text === undefined) return false
    const operator = text.replace(/^\d+/, "")
    const head = `${text.length > operator.length ? Number.parseInt(text, 10) : ""}${operator}`
    if (operator === "<<" || operator === "<<-") {
      this.hereDocument(operator, head)
      return true
    }
    if (operator.startsWith("&") || operator === "<<<") this.bashOnly(`\`${operator}\``)
    if (/^[<>]&$/.test(operator)) {
      const target = this.match(/(?:\d{1,2}|-)(?=[ \t\n;&|)]|$)/y)
      if (target === undefined) this.refuse("a descriptor that is no number")
      this.redirects.push(`${head} ${target}`)
      return true
    }
    this.blanks()
    const target = this.word()
    this.redirects.push(`${head} ${target.source}`)
    return true
  }

  private hereDocument(operator: string, head: string): void {
    if (this.pending !== undefined) this.refuse("two here-documents on a line")
    if (this.bare) this.refuse("a here-document in a backquote or a here-document")
    this.match(/[ \t]+/y)
    const delimiter = this.match(
      /[A-Za-z_]\w*(?=[ \t\n;&|)])|'[\w.-]+'(?=[ \t\n;&|)])|"[\w.-]+"(?=[ \t\n;&|)])/y,
    )
    if (delimiter === undefined)
      return this.refuse("a here-document's delimiter is not a plain or simply quoted word")
    this.pending = { operator, delimiter, head, level: this.level }
  }

  private body(): void {
    const { operator, delimiter, head, level } = this.pending!
    this.pending = undefined
    if (level !== this.level) this.refuse("a newline in a substitution before a here-document's body")
    const quoted = /^['"]/.test(delimiter)
    const name = quoted ? delimiter.slice(1, -1) : delimiter
    const start = this.at
    let text = ""
    for (;;) {
      const end = this.source.indexOf("\n", this.at)
      const line = this.source.slice(this.at, end < 0 ? undefined : end)
      const stripped = operator === "<<-" ? line.replace(/^\t+/, "") : line
      if (stripped === name) break
      if (end < 0) this.refuse("a here-document does not end")
      if (stripped.startsWith(name)) this.refuse("a line of a here-document that begins with its delimiter")
      text += `${stripped}\n`
      this.at = end + 1
    }
    const end = this.at
    if (!quoted) this.expansions(start, end)
    this.at = end
    this.match(/[^\n]*/y)
    this.redirects.push(`${head} ${delimiter}\n${text}`)
  }

  private expansions(start: number, end: number): void {
    this.inBody = true
    this.at = start
    while (this.at < end) {
      if (this.match(/[^\\$`]+/y) === undefined) this.quotedSpecial()
    }
    this.inBody = false
  }
}
