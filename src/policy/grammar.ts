/**
 * Whether a command line conforms to the grammar of GRAMMAR.md, which bash and our parser read alike, and which commands it then
 * contains, to be compared with those of the parser. Reads each character once.
 */
import { CommandScanner, reserved, type Understood } from "./grammar-commands.ts"
import { type Dialect, NotUnderstood } from "./grammar-words.ts"

export type { Dialect, Understood }

/** The maximum depth of nested lists. */
const maxDepth = 24

/** A NUL, an escape, a mark that reverses the text direction: invisible to a person, and possibly dropped by bash. */
const deceptive = /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}]|(?![ \t\n])\s/u

const none: ReadonlySet<string> = new Set()

class Grammar extends CommandScanner {
  private depth = 0
  /** Whether the last list ends in a separator. */
  private separated = false

  read(): void {
    if (deceptive.test(this.source)) this.refuse("a control or invisible character")
    this.newlines()
    if (this.at === this.source.length) this.refuse("there is no command")
    this.list(none)
    if (this.at < this.source.length) this.refuse(`\`${this.next}\` closes nothing`)
    if (this.pending !== undefined) this.refuse("a here-document without a body")
  }

  protected override substitution(close: ")" | "`"): void {
    // Bash tries arithmetic first, and then reads a here-document in the substitution differently.
    if (close === ")" && this.next === "(") this.refuse("`((` in a substitution")
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

  /** Reads up to a reserved word among `stops`, a closing bracket, or the end. */
  private list(stops: ReadonlySet<string>): void {
    this.depth += 1
    if (this.depth > maxDepth) this.refuse("commands are nested too deeply")
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
      if (prefix === "time" && this.level > 0) this.refuse("`time` in a substitution")
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
      if (this.level > 0) this.refuse("`coproc` in a substitution")
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
        return this.refuse(`\`${word}\` is in the place of a command`)
    }
  }

  /** Reads a list that ends, after a separator, before one of these reserved words. */
  private block(...stops: ReadonlyArray<string>): string {
    this.list(new Set(stops))
    const stop = this.peekReserved()
    if (stop === undefined || !stops.includes(stop)) return this.refuse(`\`${stops[0]}\` is missing`)
    if (!this.separated) this.refuse(`\`${stop}\` does not follow a separator`)
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

  private redirected(): void {
    while (this.blanks() && this.redirect());
    if (!this.isBoundary() && this.next !== "#") this.refuse("a word right behind a compound command")
  }
}

/** Never throws: returns the reason if the line is not understood. */
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
