/** The format of the tables of options that write or run something; the tables are in `power-table-*.ts`. */
import type { Spelling } from "./option-spelling.ts"

/** A list of ways to misuse programs: many entries cite its pages. */
export const gtfobins = "https://gtfobins.github.io"

/** Options are written as `OptionNames` reads them. */
export interface PowerOptions {
  /** Where the options are documented. */
  readonly source: string
  /** Options and subcommands that write a file, change what else runs, or run something. */
  readonly options?: string
  /** Default: `getopt`. */
  readonly spelling?: Spelling
  /** Other options that take a value, which is then no option and no operand. */
  readonly valued?: string
  /** Harmless options that begin as one of `options` does. */
  readonly harmless?: string
  /** Those of `options` that write nothing if their value is `-` or `/dev/null`. */
  readonly discards?: string
  /** Dangerous words that `options` cannot express. */
  readonly words?: RegExp
  /** Harmless pairs of words, or of an option and its value, joined by a blank, whose first word alone would be dangerous. */
  readonly pairs?: RegExp
  /** Options, and other words, that write the file behind them, and only print if there is none. */
  readonly writes?: string
  /** Options that promise that nothing is written or run. The entry holds only if one of them is there. */
  readonly promises?: string
  /** The number of the first operand that is written to, from 0; those behind it are too. */
  readonly output?: number
  /** First words, and options in front of the first operand, with which no operand is written to. */
  readonly reads?: string
  /** What follows the first operand, if that is no option of this program, whatever it looks like. */
  readonly behind?: "operands" | "another's"
  readonly scripts?: PowerScripts
  /** Programs of the tables, one of which receives the words behind `--`, or all that follow. */
  readonly passes?: string
}

/** Texts that a program runs. */
export interface PowerScripts {
  /** What makes a script write or run something. An expansion in a script may do so, too. */
  readonly dangers: RegExp
  /** The options whose values are scripts. */
  readonly options?: string
  /** The number of the first operand that is a script; those behind it are too. */
  readonly operands?: number
  /** Whether the input is a script. */
  readonly input?: true
}

/**
 * By program, or by program and subcommands; `|` separates several, `*` is any subcommand. An entry of a program holds for its
 * subcommands too.
 */
export type PowerTable = Readonly<Record<string, PowerOptions>>
