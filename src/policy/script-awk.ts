/**
 * Tells whether an awk program only computes and prints: it neither runs commands, nor writes or reads files of its own
 * choosing. What is not one of these tokens, or could be read as a regular expression or a division, is said to do more.
 */

const blank = /(?:[ \t\r]|\\\n|#[^\n]*)+/y
const string = /"(?:[^"\\\n]|\\[^\n])*"/y
const name = /[A-Za-z_]\w*/y
const number = /\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|\.\d+/y
const operator = /&&|\|\||[-+*%^=!<>]=|\+\+|--|!~|[-+*%^=!<>~?:,;()[\]{}$\n]/y
/** Brackets with a slash or a `]` of their own end for one awk where they do not for another. */
const regex = /\/(?:[^/\\\n[]|\\[^\n]|\[\^?(?![\]^])(?:\[:[a-z]+:\]|\\[\w.*+?$-]|[^\][\\/\n])+\])+\//y
const division = /\/=?/y

/** They run a command, or read what one prints, or say which files are read. */
const reaches = new Set(["system", "getline", "ARGV", "ARGC", "SYMTAB"])
/** What follows these begins an expression. */
const beginsExpression = new Set(
  "print printf return in else do case if while for exit delete BEGIN END function".split(" "),
)

/** A regular expression may follow their brackets. */
const takesCondition = /^(if|while|for|switch)$/

class Program {
  private readonly source: string
  private at = 0
  private before = ""
  /** What stands in front of each open bracket. */
  private readonly brackets: Array<string> = []
  private isCondition = false
  /** How many brackets stand around a `print`, while it lasts. */
  private printing: number | undefined

  constructor(source: string) {
    this.source = source
  }

  isHarmless(): boolean {
    while (this.at < this.source.length) {
      if (this.match(blank) !== undefined) continue
      const token = this.token()
      if (token === undefined || reaches.has(token)) return false
      this.before = token
    }
    return true
  }

  private token(): string | undefined {
    if (this.source[this.at] === "/") return this.slash()
    return this.match(string) ?? this.match(number) ?? this.name() ?? this.operator()
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.source)?.[0]
    this.at += found?.length ?? 0
    return found
  }

  private name(): string | undefined {
    const found = this.match(name)
    if (found === "print" || found === "printf") this.printing = this.brackets.length
    return found
  }

  /** It divides behind an operand, and begins a regular expression behind an operator. */
  private slash(): string | undefined {
    const { before } = this
    if (beginsExpression.has(before) || /^(\+\+|--|\$|\/.*)$/s.test(before)) return undefined
    if (before === ")" && this.isCondition) return undefined
    return this.match(/^[\w."]|[\])]$/.test(before) ? division : regex)
  }

  private operator(): string | undefined {
    const found = this.match(operator)
    if (found === undefined) return undefined
    if (/[([]/.test(found)) this.brackets.push(this.before)
    if (/[)\]]/.test(found)) this.isCondition = takesCondition.test(this.brackets.pop() ?? "")
    if (/[;{}]/.test(found)) this.printing = undefined
    // `print > "file"`, but not `print (a > b)`.
    const redirects = /^>/.test(found) && this.printing !== undefined && this.brackets.length <= this.printing
    return redirects ? undefined : found
  }
}

export const isHarmlessAwk = (source: string): boolean => new Program(source).isHarmless()
