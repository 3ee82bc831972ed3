/** The format of the tables of options that write or run something; the tables are in `power-table-*.ts`. */
import type { Spelling } from "./option-spelling.ts"

/** A list of ways to misuse programs: many entries cite its pages. */
export const gtfobins = "https://gtfobins.github.io"

/** Options are written as `OptionNames` reads them. */
export interface PowerOptions {
  /** Where the options are documented. */
  readonly source: string
  /** Options and subcommands that write a file, change which other programs run, or run something. */
  readonly options?: string
  /** Default: `getopt`. */
  readonly spelling?: Spelling
  /** Other options that take a value, which then counts neither as an option nor as an operand. */
  readonly valued?: string
  /** Harmless options with the same beginning as one of `options`. */
  readonly harmless?: string
  /** Those of `options` that write nothing if their value is `-` or `/dev/null`. */
  readonly discards?: string
  /** Dangerous words that `options` cannot express. */
  readonly words?: RegExp
  /** Harmless pairs of words, or of an option and its value, joined by a blank, whose first word alone would be dangerous. */
  readonly pairs?: RegExp
  /** Options, and other words, that write the following file, and only print if none follows. */
  readonly writes?: string
  /** Options that guarantee that nothing is written or run. The entry applies only if one of them is present. */
  readonly promises?: string
  /** The number of the first operand that is written to, from 0; later operands are too. */
  readonly output?: number
  /** First words, and options before the first operand, with which no operand is written to. */
  readonly reads?: string
  /** What follows the first operand, if the rest are not options of this program, whatever they look like. */
  readonly behind?: "operands" | "another's"
  readonly scripts?: PowerScripts
  /** Programs of the tables, one of which receives the words after `--`, or all following words. */
  readonly passes?: string
}

/** Texts that a program runs. */
export interface PowerScripts {
  /** Matches scripts that write or run something. An expansion in a script may do so, too. */
  readonly dangers: RegExp
  /** The options whose values are scripts. */
  readonly options?: string
  /** The number of the first operand that is a script; later operands are too. */
  readonly operands?: number
  /** Whether the input is a script. */
  readonly input?: true
}

/**
 * By program, or by program and subcommands; `|` separates several, `*` is any subcommand. An entry of a program also applies
 * to its subcommands.
 */
export type PowerTable = Readonly<Record<string, PowerOptions>>
