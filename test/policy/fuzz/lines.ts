// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders are bash's
/** Builds command lines: most from what bash's grammar offers, then spoilt by tokens that were, or might be, misread. */
import type { Random } from "./random.ts"

export interface Vocabulary {
  /** Commands that the rules allow, with what they need to be allowed. */
  readonly commands: ReadonlyArray<string>
  /** Words that would be a command, were they read as one. */
  readonly baits: ReadonlyArray<string>
}

/** Made once for each bait: there are many. */
const remembered = (make: (bait: string) => Array<string>): ((bait: string) => Array<string>) => {
  const made = new Map<string, Array<string>>()
  return (bait) => {
    const found = made.get(bait) ?? make(bait)
    made.set(bait, found)
    return found
  }
}

const words = remembered((bait) => [
  "a",
  "-la",
  "x=1",
  "é",
  "*.ts",
  "a?b",
  "[a-c]x",
  "~/x",
  "$x",
  '"$x"',
  "${x}",
  "$1",
  "$?",
  "$@",
  '"$@"',
  "${#x}",
  "a#b",
  "!",
  "%",
  `'${bait}'`,
  `'; ${bait} #'`,
  `"; ${bait} #"`,
  `'$(${bait})'`,
  `"\\$(${bait})"`,
  `"'; ${bait} '"`,
  `'"; ${bait} "'`,
  `\\$\\(${bait}\\)`,
  `\\;${bait}`,
  `a\\ b`,
  `\\'`,
  `\\"`,
  `$'\\'; ${bait} #'`,
  `$'\\x41${bait}'`,
  `$'a\\n${bait}'`,
  `"\\"; ${bait} #"`,
  `"\\\\"`,
  `'\\'`,
  "{a,b}",
  "{1..3}",
  "{}",
  `{a,${bait}}`,
  `a'${bait}'"b"`,
  `"$x; ${bait}"`,
  `"a\n${bait}"`,
  `'a\n${bait}\n'`,
  "${x:-y}",
  `\${x:-${bait}}`,
  "${x%.ts}",
  "${x##*/}",
  "${x/a/b}",
  "${x:0:3}",
  "${x[0]}",
  "${x[@]}",
  "${x^^}",
  "$((1 + 2))",
  "$((x * 2))",
  `"foo$"`,
  "foo$",
  bait,
  `"a\\b"`,
  `"it's"`,
  `'say "x"'`,
  "]",
  "[",
  "==",
  "-n",
  "--",
  "^",
  "@",
  "+x",
  `"\${x:-; ${bait}}"`,
  "}",
  "{",
  "a=b",
  "=",
  "/a/b",
  "if",
  "do",
  "done",
  "fi",
  "in",
  "esac",
  "then",
  "time",
  "coproc",
  "0",
  "2",
])

const spoilers = remembered((bait) => [
  ..."' \" \\ ` $ ( ) { } [ ] < > & | ; # ! ~ * ? = , : @ % ^ - +".split(" "),
  " ",
  "\t",
  "\n",
  "\\\n",
  " \\\n ",
  "\\\n\t",
  `2>(${bait})`,
  `0<(${bait})`,
  `{fd}>(${bait})`,
  `<(${bait})`,
  `>(${bait})`,
  `$(${bait})`,
  `\`${bait}\``,
  `;${bait}`,
  `; ${bait} ;`,
  `\n${bait}\n`,
  `|${bait}`,
  ` | ${bait} `,
  `&&${bait}`,
  `& ${bait}`,
  `$\\\n'\\''; ${bait}\n'`,
  "$\\\n{x@P}",
  `"\${x:-$'$(${bait})'}"`,
  `"\${x:-'$(${bait})'}"`,
  `\${x:-'$(${bait})'}`,
  `"\${x:-"$(${bait})"}"`,
  "<<E",
  "<<-E",
  "<<'E'",
  '<<"E"',
  "<<\\E",
  "<<$'E\\x{46'",
  "<<\\\n-E",
  `<<"$(${bait})"`,
  "\nE\n",
  "\n\tE\n",
  "E",
  "EF",
  "\nE)",
  `$'\\x{41}'`,
  "$'",
  '$"',
  "$'\\c",
  "$'\\0'",
  "$((",
  "))",
  "$(",
  "$[",
  "]]",
  "[[",
  "${",
  "${x:-",
  "${x/",
  "${x#",
  "${!",
  "@P}",
  "((",
  "case x in ",
  "esac",
  ";;",
  ";&",
  "in",
  "do",
  "done",
  "then",
  "fi",
  "if ",
  "for x ",
  "while ",
  "until ",
  "select x ",
  "function f ",
  "f() ",
  "coproc ",
  "time ",
  "time -p ",
  "! ",
  "{ ",
  "; }",
  "&>",
  ">&",
  "2>&1",
  "|&",
  "<<<",
  ">/dev/null",
  "< /dev/null",
  "<>",
  ">|",
  ">>",
  "3<&0",
  "a[",
  "a[1]=",
  "x=(",
  "x+=",
  "@(",
  "+(",
  "!(",
  "?(",
  "{a,",
  ",b}",
  "{a,b}",
  "..",
  "#",
  " #",
  " # '",
  " # \\",
  "\u00a0",
  "\u00e0",
  "\u0085",
  "\r",
  "\u2028",
  "-- ",
  "\\",
  "\\ ",
  "''",
  '""',
  "$''",
  "$x",
  "$",
  "$$",
  "$#",
  "`",
  "``",
  "~+",
  "=~",
  "-eq",
])

export class Lines {
  private readonly random: Random
  private readonly vocabulary: Vocabulary
  private delimiters = 0

  constructor(random: Random, vocabulary: Vocabulary) {
    this.random = random
    this.vocabulary = vocabulary
  }

  next(): string {
    this.delimiters = 0
    let line = this.list(this.random.one([0, 0, 1, 1, 2, 3]))
    for (let spoilt = this.random.one([0, 0, 1, 1, 1, 2, 3]); spoilt > 0; spoilt -= 1) line = this.spoil(line)
    return line
  }

  private get bait(): string {
    return this.random.one(this.vocabulary.baits)
  }

  private spoil(line: string): string {
    const at = this.random.below(line.length + 1)
    const cut = this.random.one([0, 0, 0, 1, 1, 2, 5])
    const from = this.random.below(line.length + 1)
    const put = this.random.one([
      () => this.random.one(spoilers(this.bait)),
      () => this.random.one(spoilers(this.bait)),
      () => "",
      () => line.slice(from, from + this.random.below(12)),
    ])()
    return line.slice(0, at) + put + line.slice(at + cut)
  }

  private word(depth: number): string {
    if (depth > 0 && this.random.once(8)) {
      const inner = this.list(depth - 1)
      return this.random.one([
        `$(${inner})`,
        `"$(${inner})"`,
        `"a $(${inner}) b"`,
        `\`${inner}\``,
        `<(${inner})`,
        `a$(${inner})b`,
      ])
    }
    const word = this.random.one(words(this.bait))
    return this.random.once(6) ? word + this.random.one(words(this.bait)) : word
  }

  private simple(depth: number): string {
    const parts = [this.random.one(this.vocabulary.commands)]
    for (let count = this.random.below(4); count > 0; count -= 1) parts.push(this.word(depth))
    if (this.random.once(6)) parts.push(this.redirect(depth))
    return parts.join(this.random.once(20) ? this.random.one(["  ", "\t", " \\\n "]) : " ")
  }

  private redirect(depth: number): string {
    return this.random.one([
      () => "2>&1",
      () => ">/dev/null",
      () => "> /dev/null 2>&1",
      () => "&>/dev/null",
      () => "2>&-",
      () => "< file",
      () => `<<< ${this.word(depth)}`,
      () => `< <(${this.list(0)})`,
      () => "3<&0",
    ])()
  }

  private hereDocument(depth: number): string {
    const name = this.random.one(["E", "EOF", "E_1"])
    const quoted = this.random.one([name, `'${name}'`, `"${name}"`])
    const dash = this.random.once(3) ? "-" : ""
    const body = this.random.one([
      "text",
      `$(${this.bait})`,
      `\`${this.bait}\``,
      "$x",
      "it's",
      'say "x"',
      `"; ${this.bait}`,
      `'; ${this.bait}`,
      `\${x:-${this.bait}}`,
      `\\$(${this.bait})`,
      `${this.bait}`,
      "\ta",
      `$(${this.simple(0)})`,
      "\\\\",
      `a\n$(${this.simple(0)})\n\\\`b`,
      ` ${name}`,
      `${name} x`,
      `\${x:-'$(${this.bait})'}`,
      ")",
      "'",
      '"',
      "`",
      "$((1+2))",
      "$'x'",
      "foo$",
      `\n${this.bait}\n`,
    ])
    const rest = this.random.one(["", "", " x", " | ls", " 2>&1", "; ls", " && ls"])
    return `${this.simple(depth)} <<${dash}${quoted}${rest}\n${body}\n${this.random.once(3) && dash !== "" ? "\t" : ""}${name}`
  }

  private command(depth: number): string {
    if (depth === 0 || this.random.below(3) > 0) {
      return this.random.once(8) && this.delimiters++ === 0
        ? `${this.hereDocument(depth)}\n`
        : this.simple(depth)
    }
    const inner = (): string => this.list(depth - 1)
    return this.random.one([
      () => `(${inner()})`,
      () => `{ ${inner()}; }`,
      () => `{\n${inner()}\n}`,
      () => `if ${inner()}; then ${inner()}; fi`,
      () => `if ${inner()}; then ${inner()}; elif ${inner()}; then ${inner()}; else ${inner()}; fi`,
      () => `while ${inner()}; do ${inner()}; done`,
      () => `until ${inner()}\ndo ${inner()}\ndone`,
      () => `for x in ${this.word(depth)} ${this.word(0)}; do ${inner()}; done`,
      () => `case ${this.word(0)} in ${this.word(0)}) ${inner()} ;; ${this.word(0)}|*) ${inner()} ;; esac`,
      () => `[[ ${this.word(0)} == ${this.word(0)} ]] && ${inner()}`,
      () => `[[ -n ${this.word(depth)} || ! -d x ]]; ${inner()}`,
      () => `! ${this.simple(depth)}`,
      () => `time ${this.simple(depth)}`,
      () => `coproc ${this.simple(depth)}`,
      () => `(${inner()}) ${this.redirect(0)}`,
      () => `{ ${inner()}; } ${this.redirect(0)}`,
    ])()
  }

  private list(depth: number): string {
    let line = this.command(depth)
    for (let count = this.random.one([0, 0, 1, 1, 2]); count > 0; count -= 1) {
      line += this.random.one([
        "; ",
        ";",
        " && ",
        " || ",
        " | ",
        "|",
        " |& ",
        " & ",
        "\n",
        "\n\n",
        "&&",
        " ;\n",
        ` # ${this.bait} '\n`,
      ])
      line += this.command(depth)
    }
    return line
  }
}
