/** Asks the rules about random command lines, runs those that they approve in a real bash, and tells what should not have run. */
import { understand } from "../../../src/policy/grammar.ts"
import { ToolFilters } from "../../../src/policy/index.ts"
import { Lines, type Vocabulary } from "./lines.ts"
import { Random } from "./random.ts"
import { RealBash, type RealBashOptions } from "./real-bash.ts"

export interface RuleSet {
  readonly name: string
  readonly allow: ReadonlyArray<string>
  readonly deny: ReadonlyArray<string>
  readonly vocabulary: Vocabulary
  readonly bash: RealBashOptions
  /** Whether a command that ran, with its arguments, is one of those that the rules approve. */
  readonly permits: (words: ReadonlyArray<string>) => boolean
}

export interface Finding {
  readonly rules: string
  readonly line: string
  /** The command that ran, or the file that was written. */
  readonly did: string
}

export interface Round {
  /** How many lines were asked about. */
  readonly asked: number
  /** How many different lines were approved, and run. */
  readonly approved: number
  /** How many commands these ran. */
  readonly ran: number
  readonly findings: ReadonlyArray<Finding>
}

const shell = { name: "shell", primaryParam: "command", primaryKind: "command" } as const
const batchSize = 500

/** One bash for each line, so that whoever wrote a file is known. */
const culprits = async (
  bash: RealBash,
  lines: ReadonlyArray<string>,
  name: string,
): Promise<Array<Finding>> => {
  const found: Array<Finding> = []
  for (const line of lines) {
    const { changed } = await bash.run([line], "bash -c")
    if (changed.length > 0) found.push({ rules: name, line, did: `changed ${changed.join(", ")}` })
  }
  return found
}

export const fuzz = async (
  ruleSet: RuleSet,
  { seed, lines: wanted, tell }: { seed: number; lines: number; tell?: (round: Round) => void },
): Promise<Round> => {
  const { name, allow, deny, permits } = ruleSet
  const filters = ToolFilters.compile({ shell: { allow, deny } })
  const lines = new Lines(new Random(seed), ruleSet.vocabulary)
  const bash = new RealBash(ruleSet.bash)
  const seen = new Set<string>()
  const findings: Array<Finding> = []
  let [asked, approved, ran] = [0, 0, 0]
  try {
    while (approved < wanted) {
      const batch: Array<string> = []
      while (batch.length < Math.min(batchSize, wanted - approved)) {
        const command = lines.next()
        if (command.includes("\0") || seen.has(command)) continue
        asked += 1
        // What is not understood is never approved; asking of one in eight is enough to see that it stays so.
        if (asked % 8 !== 0 && typeof understand(command, "bash") === "string") continue
        if (filters.evaluate(shell, { command }) !== "approve") continue
        seen.add(command)
        batch.push(command)
      }
      // Most in forks: a program's start costs more than the line.
      const mode = approved % (8 * batchSize) === 0 ? "bash -c" : "fork"
      const result = await bash.run(batch, mode)
      approved += batch.length
      ran += result.ran.length
      for (const { line, words } of result.ran) {
        if (!permits(words)) findings.push({ rules: name, line: batch[line]!, did: `ran ${words.join(" ")}` })
      }
      if (result.changed.length > 0) findings.push(...(await culprits(bash, batch, name)))
      tell?.({ asked, approved, ran, findings })
    }
  } finally {
    bash.close()
  }
  return { asked, approved, ran, findings }
}
