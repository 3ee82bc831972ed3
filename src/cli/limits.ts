/** The limits of a command: from `--limit`, and from `[[limits]]` in the file of `--config`. */
import { expectLimitedTools, type Limit, toLimits } from "../limits/limits.ts"
import { messageOf } from "../text/message-of.ts"
import { readConfigFile } from "./config-file.ts"
import { UsageError } from "./usage-error.ts"

export interface LimitOptions {
  /** `TOOLS=WHAT`, such as `web_search,fetch_*=4 at once, 30 per minute`. Default: none. */
  readonly limit?: ReadonlyArray<string>
  /** The file of `--config`. */
  readonly config?: string
}

type Part = Omit<Limit, "tools" | "cost">

const parts: ReadonlyArray<readonly [RegExp, (count: string, rest: string) => Part]> = [
  [/^(\d+) at once$/, (count) => ({ concurrency: Number(count) })],
  [/^(\d+) per turn$/, (count) => ({ perTurn: Number(count) })],
  [/^(\d+) per agent$/, (count) => ({ perAgent: Number(count) })],
  [
    /^(\d+) per ((?:\d+ )?(?:second|minute|hour|day)s?)$/,
    (max, per) => ({ rate: { max: Number(max), per: timeOf(per) } }),
  ],
  [/^wait (\d+) (seconds?|minutes?|hours?)$/, (count, unit) => ({ maxWait: timeOf(`${count} ${unit}`) })],
]

/** Reads a duration; `minute` means `1 minute`. */
const timeOf = (text: string): NonNullable<Limit["maxWait"]> =>
  (/^\d/.test(text) ? text : `1 ${text}`) as NonNullable<Limit["maxWait"]>

const expected =
  "expected TOOLS=WHAT, such as web_search,fetch_*=4 at once, 30 per minute, 20 per turn, 200 per agent, wait 2 minutes"

const partOf = (text: string): Part | undefined => {
  for (const [pattern, read] of parts) {
    const [, count, rest] = pattern.exec(text) ?? []
    if (count !== undefined) return read(count, rest ?? "")
  }
  return undefined
}

const limitOf = (text: string): Limit => {
  const equals = text.indexOf("=")
  const listed = (list: string) => list.split(",").map((item) => item.trim())
  const found = listed(text.slice(equals + 1)).map(partOf)
  if (equals < 1 || found.includes(undefined)) throw new UsageError(`--limit ${text}: ${expected}`)
  return Object.assign({ tools: listed(text.slice(0, equals)) }, ...found)
}

/** Rejects with a UsageError that names the option or the file. `tools`: the names of all tools. */
export const loadLimits = async (
  { limit = [], config }: LimitOptions,
  tools: ReadonlyArray<string>,
): Promise<ReadonlyArray<Limit>> => {
  const checked = (limits: ReadonlyArray<Limit>, source: string) => {
    try {
      toLimits(limits)
      expectLimitedTools(limits, tools)
    } catch (error) {
      throw new UsageError(`${source}: ${messageOf(error)}`)
    }
    return limits
  }
  const inFile = config === undefined ? [] : checked((await readConfigFile(config)).limits, config)
  return [...inFile, ...limit.flatMap((text) => checked([limitOf(text)], `--limit ${text}`))]
}
