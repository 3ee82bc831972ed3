/** What the tables of options that write or run something hold; `power-table-*.ts` are the tables. */
import type { Spelling } from "./option-spelling.ts"

/** The list of what programs can be made to do: many sources are pages of it. */
export const gtfobins = "https://gtfobins.github.io"

/** Options are written as `OptionNames` reads them. */
export interface PowerOptions {
  /** Where it is documented. */
  readonly source: string
  /** Options and subcommands that write a file, change what else runs, or run something. */
  readonly options?: string
  /** Default: `getopt`. */
  readonly spelling?: Spelling
  /** Others that take a value, which is no option and no operand. */
  readonly valued?: string
  /** Options that only begin as one of `options` does. */
  readonly harmless?: string
  /** Those of `options` that do nothing with `-` or `/dev/null` for their value. */
  readonly discards?: string
  /** Words that `options` cannot tell. */
  readonly words?: RegExp
  /** Pairs of words, or an option and its value, a blank between them, that do nothing although the first is told. */
  readonly pairs?: RegExp
  /** Options, and other words, that write the file behind them, and only print where none is. */
  readonly writes?: string
  /** Options that promise that nothing is written or run; where none of them is there, the row says nothing. */
  readonly promises?: string
  /** Which operand is written to, from 0; those behind it too. */
  readonly output?: number
  /** First words, and options in front of the first operand, with which none is. */
  readonly reads?: string
  /** What follows the first operand, where that is no option of this program, whatever it looks like. */
  readonly behind?: "operands" | "another's"
  readonly scripts?: PowerScripts
  /** Programs, of the tables too, one of which is given what stands behind `--`, or without one all that follows. */
  readonly passes?: string
}

/** Texts that a program runs. */
export interface PowerScripts {
  /** What makes one write or run something. What bash puts into a script may be just that. */
  readonly dangers: RegExp
  /** The options whose values are scripts. */
  readonly options?: string
  /** From which operand on all are scripts. */
  readonly operands?: number
  /** Whether its input is one too. */
  readonly input?: true
}

/**
 * By programs, or a program with its subcommands; `|` stands between several, `*` for any subcommand.
 * What is said of a program holds for its subcommands too.
 */
export type PowerTable = Readonly<Record<string, PowerOptions>>
