/** Reads calls with literal arguments in a file of Starlark. Nothing is evaluated: any other statement is returned as text. */

/** A string, or a list of literals. */
export type Literal = string | ReadonlyArray<Literal>

/** A statement of the file. */
export type Statement =
  | {
      readonly _tag: "Call"
      readonly name: string
      /** Named arguments by their names, positional ones by their numbers. */
      readonly args: ReadonlyMap<string, Literal>
      readonly source: string
    }
  /** A statement that is not read. */
  | { readonly _tag: "Other"; readonly source: string }

class NoLiteral extends Error {}

const escapes: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  "\\": "\\",
  "'": "'",
  '"': '"',
  "\n": "",
}

class Reader {
  private at = 0
  private readonly text: string

  constructor(text: string) {
    this.text = text.replace(/\r\n?/g, "\n")
  }

  read(): Array<Statement> {
    const statements: Array<Statement> = []
    for (this.blanks(); this.at < this.text.length; this.blanks()) statements.push(this.statement())
    return statements
  }

  private statement(): Statement {
    const start = this.at
    try {
      // An indented statement belongs to another statement, or is an error.
      if (/^[ \t]+$/.test(this.text.slice(this.text.lastIndexOf("\n", start) + 1, start)))
        throw new NoLiteral()
      const name = this.take(/[A-Za-z_]\w*/y)
      this.inside()
      if (name === undefined || this.take(/\(/y) === undefined) throw new NoLiteral()
      const args = this.args()
      const end = this.at
      if (this.take(/[ \t]*(?:;|(?:#[^\n]*)?(?=\n|$))/y) === undefined) throw new NoLiteral()
      return { _tag: "Call", name, args, source: this.text.slice(start, end) }
    } catch (error) {
      if (!(error instanceof NoLiteral)) throw error
      this.at = start
      this.skip()
      return { _tag: "Other", source: this.text.slice(start, this.at).trimEnd() }
    }
  }

  private args(): Map<string, Literal> {
    const args = new Map<string, Literal>()
    for (let count = 0; ; count += 1) {
      this.inside()
      if (this.take(/\)/y) !== undefined) return args
      const name = this.take(/[A-Za-z_]\w*(?=\s*=(?!=))/y)
      if (name !== undefined) {
        this.inside()
        this.at += 1
        this.inside()
      }
      if (args.has(name ?? String(count))) throw new NoLiteral()
      args.set(name ?? String(count), this.literal())
      this.inside()
      if (this.take(/,/y) === undefined && this.text[this.at] !== ")") throw new NoLiteral()
    }
  }

  private literal(): Literal {
    const open = this.take(/\[/y)
    if (open === undefined) return this.string()
    const items: Array<Literal> = []
    for (;;) {
      this.inside()
      if (this.take(/\]/y) !== undefined) return items
      items.push(this.literal())
      this.inside()
      if (this.take(/,/y) === undefined && this.text[this.at] !== "]") throw new NoLiteral()
    }
  }

  private string(): string {
    const raw = this.take(/r(?=["'])/y) !== undefined
    const quote = this.take(/"""|'''|"|'/y)
    if (quote === undefined) throw new NoLiteral()
    let value = ""
    for (;;) {
      if (this.text.startsWith(quote, this.at)) break
      const char = this.text[this.at]
      if (char === undefined || (char === "\n" && quote.length === 1)) throw new NoLiteral()
      this.at += 1
      if (char !== "\\") value += char
      else {
        const next = this.text[this.at]
        const meant = next === undefined ? undefined : raw ? `\\${next}` : escapes[next]
        // Escapes such as `\x41` are too rare to support.
        if (meant === undefined) throw new NoLiteral()
        value += meant
        this.at += 1
      }
    }
    this.at += quote.length
    return value
  }

  /** Skips a statement that is not read, with the lines indented below it and the contents of its brackets. */
  private skip(): void {
    let depth = 0
    while (this.at < this.text.length) {
      if (
        this.text[this.at] === "\n" &&
        depth <= 0 &&
        /^\n(?=\S|$)(?!\n)/.test(this.text.slice(this.at, this.at + 3))
      )
        return
      if (this.take(/#[^\n]*/y) !== undefined) continue
      if (/["']/.test(this.text[this.at]!)) {
        const start = this.at
        try {
          this.string()
          continue
        } catch {
          this.at = start
        }
      }
      if (/[[({]/.test(this.text[this.at]!)) depth += 1
      if (/[\])}]/.test(this.text[this.at]!)) depth -= 1
      this.at += 1
    }
  }

  /** Skips the separators between statements. */
  private blanks(): void {
    while (this.take(/[\s;]+|#[^\n]*/y) !== undefined);
  }

  /** Skips blanks, newlines and comments, which may appear anywhere in brackets. */
  private inside(): void {
    while (this.take(/\s+|#[^\n]*/y) !== undefined);
  }

  private take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)?.[0]
    if (found === undefined || pattern.lastIndex < this.at) return undefined
    this.at += found.length
    return found
  }
}

/** The statements of a file, in order. Never throws. */
export const readStatements = (text: string): Array<Statement> => new Reader(text).read()
