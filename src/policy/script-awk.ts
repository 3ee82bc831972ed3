/**
 * Whether an awk program only computes and prints: it neither runs commands, nor writes files, nor reads files of its own choice.
 * Any other token, and anything that gawk, mawk, busybox and the original awk read differently, counts as doing more: where one
 * reads a regular expression and another a division, the rest is code to one and a string to the other.
 */
import { names } from "./names.ts"

const blank = /(?:[ \t]|(?<=[ \t])\\\n(?=[ \t])|#[^\n\\]*(?=\n|$))+/y
const string = /"(?:[^"\\\n]|\\[^\n])*"/y
const word = /[A-Za-z_]\w*/y
const number = /(?:\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|\.\d+)(?![\w.])/y
const operator = /&&|\|\||[-+*%^=!<>]=|\+\+|--|!~|[-+*%^=!<>~?:,;()[\]{}$\n]/y
/** Some awks end the expression at a slash or a `]` in brackets, others do not: such brackets are refused. */
const regex = /\/(?:[^/\\\n[]|\\[^\n]|\[\^?(?![\]^])(?:\[:[a-z]+:\]|\\[\w.*+?$-]|[^\][\\/\n])+\])+\//y
const division = /\/=?/y

/** Words that run a command, read the output of one, or determine which files are read. */
const reaches = new Set(["system", "getline", "ARGV", "ARGC", "SYMTAB"])

/** Words that some awk reserves. After `length`, mawk reads a regular expression where the others divide. */
const known = new Set(
  names(`
    BEGIN BEGINFILE END ENDFILE func function if else while do for in switch case default break continue next nextfile exit
    return delete print printf length substr index split sub gsub gensub match tolower toupper sprintf sin cos atan2 exp log
    sqrt int rand srand close fflush and or xor compl lshift rshift strtonum systime strftime mktime asort asorti patsplit
    isarray typeof mkbool bindtextdomain dcgettext dcngettext namespace include load
  `),
)

/** A regular expression may follow the brackets of these. */
const takesCondition = new Set(["if", "while", "for", "switch"])

const endsOperand = /^[\w."]|^[\])]$/
/** A regular expression may be at the beginning, and after these tokens. */
const beginsOperand = /^([({},;\n!~=?:]|!~|&&|\|\|)?$/

class Program {
  private readonly source: string
  private at = 0
  private before = ""
  /** The token before each open bracket, and before the last one that was closed. */
  private readonly brackets: Array<string> = []
  private closed = ""
  private parentheses = 0
  /** The number of parentheses around the current `print`. */
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
    return this.match(string) ?? this.match(number) ?? this.word() ?? this.operator()
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.source)?.[0]
    this.at += found?.length ?? 0
    return found
  }

  private word(): string | undefined {
    const found = this.match(word)
    if (found === "print" || found === "printf") this.printing = this.parentheses
    return found
  }

  /** A slash divides after an operand, and begins a regular expression where an operand is missing. */
  private slash(): string | undefined {
    const { before } = this
    if (beginsOperand.test(before)) return this.match(regex)
    const isClear = endsOperand.test(before) && !known.has(before)
    return isClear && !(before === ")" && takesCondition.has(this.closed)) ? this.match(division) : undefined
  }

  private operator(): string | undefined {
    const found = this.match(operator)
    if (found === undefined) return undefined
    // Only some awks end the statement here.
    if (found === "\n" && this.brackets.length > 0 && !/^(,|&&|\|\|)$/.test(this.before)) return undefined
    if (/[([]/.test(found)) this.brackets.push(this.before)
    if (/[)\]]/.test(found)) this.closed = this.brackets.pop() ?? ""
    if (found === "(") this.parentheses += 1
    if (found === ")") this.parentheses -= 1
    if (/[;{}]/.test(found)) this.printing = undefined
    // `print > "file"`, but not `print (a > b)`.
    const redirects = /^>/.test(found) && this.printing !== undefined && this.parentheses <= this.printing
    return redirects ? undefined : found
  }
}

export const isHarmlessAwk = (source: string): boolean => new Program(source).isHarmless()
