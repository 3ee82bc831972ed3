/**
 * Whether a command line lies in the grammar of GRAMMAR.md, all of which bash and our parser read alike; and what commands
 * it then holds, for a comparison with what the parser read. Reads each character once.
 */
import { type Dialect, type GrammarWord, NotUnderstood, WordScanner } from "./grammar-words.ts"

export type { Dialect, GrammarWord }

export interface GrammarCommand {
  readonly assignments: ReadonlyArray<string>
  readonly words: ReadonlyArray<GrammarWord>
}

export interface Understood {
  readonly commands: ReadonlyArray<GrammarCommand>
  /** As they are written: descriptor, operator, a space, the target; for a here-document its delimiter and body. */
  readonly redirects: ReadonlyArray<string>
  /** Whether `[[` may evaluate arithmetic. */
  readonly evaluates: boolean
}

/** How deep lists may stand in lists. */
const maxDepth = 24

const reserved = new Set(
  "if then else elif fi for while until do done case esac select function { } [[ ]] ! time coproc in".split(
    " ",
  ),
)

/** A NUL, an escape, a mark that turns the text around: what a person would not see, and bash may not keep. */
const deceptive = /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}]|(?![ \t\n])\s/u

const none: ReadonlySet<string> = new Set()

class Grammar extends WordScanner {
  readonly commands: Array<GrammarCommand> = []
  readonly redirects: Array<string> = []
  /** The here-document whose body follows the next newline, and the substitution it stands in. */
  private pending: { operator: string; delimiter: string; head: string; level: number } | undefined
  private level = 0
  private depth = 0
  /** Whether the list that was just read ends in a separator. */
  private separated = false
  evaluates = false

  read(): void {
    if (deceptive.test(this.source)) this.refuse("a control or invisible character")
    this.newlines()
    if (this.at === this.source.length) this.refuse("there is no command")
    this.list(none)
    if (this.at < this.source.length) this.refuse(`\`${this.next}\` closes nothing`)
    if (this.pending !== undefined) this.refuse("a here-document without a body")
  }

  protected override get awaitsBody(): boolean {
    return this.pending !== undefined
  }

  protected override substitution(close: ")" | "`"): void {
    const { bare } = this
    this.bare ||= close === "`" || this.inBody
    this.level += 1
    this.list(none)
    if (this.next !== close) this.refuse("a substitution is not closed")
    if (this.pending?.level === this.level) this.refuse("a here-document without a body in a substitution")
    this.at += 1
    this.level -= 1
    this.bare = bare
  }

  /** Passes over blanks and continuations between them. Gives whether there were any. */
  private blanks(): boolean {
    const start = this.at
    for (;;) {
      this.match(/[ \t]+/y)
      if (!this.sees("\\\n")) return this.at > start
      const [before, after] = [this.source.charAt(this.at - 1), this.source.charAt(this.at + 2)]
      if (!/[ \t]/.test(before) || !/[ \t]/.test(after) || this.bare || this.pending) {
        this.refuse("a line is continued otherwise than between blanks")
      }
      this.at += 2
    }
  }

  private newline(): void {
    if (this.bare) this.refuse("a newline in a substitution of a here-document or a backquote")
    this.at += 1
    if (this.pending !== undefined) this.body()
  }

  private newlines(): boolean {
    const start = this.at
    for (;;) {
      this.blanks()
      this.comment()
      if (this.next !== "\n") return this.at > start
      this.newline()
    }
  }

  private comment(): void {
    if (this.next !== "#") return
    if (this.level > 0) this.refuse("a comment in a substitution")
    this.match(/[^\n\\]*/y)
    if (this.sees("\\")) this.refuse("a backslash in a comment")
  }

  /** The reserved word that begins here, where one may stand; it is not passed over. */
  private peekReserved(): string | undefined {
    const pattern = /(?:[a-z]+|[{}!]|\[\[|\]\])(?=[ \t\n;&|)]|$)/y
    pattern.lastIndex = this.at
    const text = pattern.exec(this.source)?.[0]
    return text !== undefined && reserved.has(text) ? text : undefined
  }

  private takeReserved(text: string): void {
    if (this.peekReserved() !== text) this.refuse(`\`${text}\` is missing`)
    this.at += text.length
  }

  private atEnd(stops: ReadonlySet<string>): boolean {
    const { next } = this
    if (next === "" || next === ")" || (next === "`" && this.bare)) return true
    if (this.sees(";;")) return stops.has(";;")
    return stops.has(this.peekReserved() ?? "")
  }

  /** Reads up to a reserved word among `stops`, a bracket that closes, or the end. */
  private list(stops: ReadonlySet<string>): void {
    this.depth += 1
    if (this.depth > maxDepth) this.refuse("commands stand too deep within commands")
    this.newlines()
    do {
      this.andor()
      this.blanks()
      this.separated = this.separator()
    } while (this.separated && !this.atEnd(stops))
    this.depth -= 1
  }

  private separator(): boolean {
    if (this.next === ";" && !this.sees(";;")) this.at += 1
    else if (this.next === "&") this.at += 1
    else if (this.next === "#") this.comment()
    else if (this.next !== "\n") return false
    this.newlines()
    return true
  }

  private andor(): void {
    for (;;) {
      this.pipeline()
      this.blanks()
      if (this.match(/&&|\|\|/y) === undefined) return
      this.newlines()
    }
  }

  private pipeline(): void {
    const prefix = this.peekReserved()
    if (prefix === "!" || prefix === "time") {
      if (prefix === "time") this.bashOnly("`time`")
      this.at += prefix.length
      if (!this.blanks() || this.next === "-") this.refuse(`\`${prefix}\` is not followed by a command`)
    }
    for (;;) {
      this.command()
      this.blanks()
      const bar = this.sees("||") ? undefined : this.match(/\|&?/y)
      if (bar === undefined) return
      if (bar === "|&") this.bashOnly("`|&`")
      this.newlines()
    }
  }

  private command(): void {
    if (this.next === "(") {
      this.at += 1
      if (this.next === "(") this.refuse("an arithmetic command")
      this.list(none)
      if (this.next !== ")") this.refuse("a subshell is not closed")
      this.at += 1
      return this.redirected()
    }
    const word = this.peekReserved()
    if (word === undefined) return this.simple()
    if (word === "coproc") {
      this.bashOnly("`coproc`")
      this.at += word.length
      if (!this.blanks()) this.refuse("`coproc` is not followed by a command")
      return this.simple(true)
    }
    this.at += word.length
    this.compound(word)
    this.redirected()
  }

  private compound(word: string): void {
    switch (word) {
      case "{":
        this.block("}")
        return this.takeReserved("}")
      case "if":
        return this.conditional()
      case "while":
      case "until":
        this.block("do")
        return this.doneGroup()
      case "for":
        return this.loop()
      case "case":
        return this.cases()
      case "[[":
        return this.test()
      default:
        return this.refuse(`\`${word}\` stands where a command should`)
    }
  }

  /** A list that ends, after a separator, before one of these reserved words. */
  private block(...stops: ReadonlyArray<string>): string {
    this.list(new Set(stops))
    const stop = this.peekReserved()
    if (stop === undefined || !stops.includes(stop)) return this.refuse(`\`${stops[0]}\` is missing`)
    if (!this.separated) this.refuse(`\`${stop}\` does not stand behind a separator`)
    return stop
  }

  private conditional(): void {
    this.block("then")
    this.takeReserved("then")
    for (;;) {
      const stop = this.block("fi", "elif", "else")
      this.takeReserved(stop)
      if (stop === "fi") return
      if (stop === "else") {
        this.block("fi")
        return this.takeReserved("fi")
      }
      this.block("then")
      this.takeReserved("then")
    }
  }

  private doneGroup(): void {
    this.takeReserved("do")
    this.block("done")
    this.takeReserved("done")
  }

  private loop(): void {
    this.blanks()
    if (this.readName() === undefined || !this.blanks()) this.refuse("`for` without a plain name")
    this.takeReserved("in")
    while (this.blanks() && !this.isBoundary()) {
      if (reserved.has(this.word().source)) this.refuse("a reserved word among a loop's words")
    }
    if (!/^[;\n]/.test(this.next) || !this.separator()) this.refuse("`do` is missing")
    this.doneGroup()
  }

  private cases(): void {
    if (this.level > 0) this.refuse("`case` in a substitution")
    this.blanks()
    this.word()
    this.blanks()
    this.takeReserved("in")
    for (this.newlines(); this.peekReserved() !== "esac"; this.newlines()) {
      do {
        this.blanks()
        if (reserved.has(this.word().source)) this.refuse("a reserved word for a pattern")
        this.blanks()
      } while (this.match(/\|/y) !== undefined)
      if (this.match(/\)/y) === undefined) this.refuse("a pattern without `)`")
      this.list(new Set([";;"]))
      if (this.match(/;;/y) === undefined) this.refuse("`;;` is missing")
    }
    this.takeReserved("esac")
  }

  private test(): void {
    this.bashOnly("`[[`")
    for (let words = 0; ; words += 1) {
      if (!this.blanks()) this.refuse("`[[` and what it holds are not separated by blanks")
      if (words > 0 && this.peekReserved() === "]]") break
      if (this.match(/(?:&&|\|\|)(?=[ \t])/y) !== undefined) continue
      const { source } = this.word()
      if (source === "=~") this.refuse("a regular expression in `[[`")
      if (/^-(?:eq|ne|lt|le|gt|ge|v|R)$/.test(source)) this.evaluates = true
    }
    this.takeReserved("]]")
  }

  private simple(coproc = false): void {
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
        this.refuse(`\`${word.source}\` stands where a command should`)
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

  private redirected(): void {
    while (this.blanks() && this.redirect());
    if (!this.isBoundary() && this.next !== "#") this.refuse("a word right behind a compound command")
  }

  private redirect(): boolean {
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

/** Never throws: gives the reason where the line is not understood. */
export const understand = (source: string, dialect: Dialect): Understood | string => {
  const grammar = new Grammar(source, dialect)
  try {
    grammar.read()
    return grammar
  } catch (error) {
    if (error instanceof NotUnderstood) return error.message
    throw error
  }
}
