/** The findings of `stepline replay`: calls with a different decision, and how many could not be decided. */
import { shownJson } from "../hosts/shown-json.ts"
import { printable } from "../hosts/terminal/printable.ts"
import { visibleLine } from "../hosts/terminal/render-text.ts"
import type { RecordedCall, Verdict } from "./recorded-calls.ts"

/** A call with a different decision. */
interface Difference extends Pick<RecordedCall, "callId" | "agentId" | "name" | "at"> {
  /** JSON, truncated if it is long. */
  readonly params: string
  readonly old: Verdict
  readonly new: Verdict
  /** Set if the person who was asked denied it. */
  readonly refused?: true
}

/** How many characters of parameters are shown. */
const maxShown = 200

/** How many tool names are shown. */
const maxNames = 10

const ofUnknown = "of a tool that is not here"

const shownParams = (params: unknown): string => {
  const json = shownJson(params)
  return json.length <= maxShown ? json : `${json.slice(0, maxShown)}…`
}

/** Collects the differences, and counts the rest. */
export class Findings {
  /** The number of undecided calls, by reason. */
  readonly undecided = new Map<string, number>()
  readonly differences: Array<Difference> = []
  calls = 0
  private readonly unknown = new Set<string>()

  leaveOut(why: string): void {
    this.undecided.set(why, (this.undecided.get(why) ?? 0) + 1)
  }

  leaveOutTool(name: string): void {
    this.leaveOut(ofUnknown)
    if (this.unknown.size <= maxNames) this.unknown.add(name)
  }

  compare({ callId, agentId, name, params, at, old, isRefused }: RecordedCall, now: Verdict): void {
    if (now.verdict === old.verdict) return
    this.differences.push({
      callId,
      agentId,
      name,
      at,
      params: shownParams(params),
      old,
      new: now,
      ...(isRefused && { refused: true }),
    })
  }

  /** Sentences about the undecided calls. */
  get notes(): Array<string> {
    return [...this.undecided].map(([why, count]) => {
      const names = why === ofUnknown ? ` (${this.names})` : ""
      return `Not decided: ${count === 1 ? "1 call" : `${count} calls`} ${why}${names}.`
    })
  }

  private get names(): string {
    const shown = [...this.unknown].slice(0, maxNames).map(visibleLine).join(", ")
    return this.unknown.size > maxNames ? `${shown}, …` : shown
  }
}

/** Calls that were denied and would now run come first. */
const rankOf = ({ old, new: now, refused }: Difference): number => {
  if (now.verdict !== "allow") return 3
  if (old.verdict === "deny") return 0
  return refused ? 1 : 2
}

const reasonOf = ({ verdict, because, source }: Verdict): string => {
  const said = because ?? (verdict === "allow" ? "Nobody had to be asked." : "It was not said why.")
  return source === undefined ? said : `${said} (${source})`
}

const linesOf = ({ callId, agentId, name, params, old, new: now, refused }: Difference): string => {
  const answer = refused ? " It was denied there." : ""
  return [
    `${old.verdict} → ${now.verdict}: ${callId} of ${agentId}: ${name} ${params}`,
    `  before: ${reasonOf(old)}${answer}`,
    `  now: ${reasonOf(now)}`,
  ]
    .map((line) => `${visibleLine(line)}\n`)
    .join("")
}

export const showFindings = ({ differences, calls, undecided, notes }: Findings, isJson: boolean): void => {
  const sorted = differences.toSorted((one, other) => rankOf(one) - rankOf(other))
  for (const difference of sorted) {
    process.stdout.write(isJson ? `${JSON.stringify(difference)}\n` : linesOf(difference))
  }
  if (isJson) {
    const counts = { calls, different: differences.length, undecided: Object.fromEntries(undecided) }
    process.stdout.write(`${JSON.stringify(counts)}\n`)
    return
  }
  const count = calls === 1 ? "1 call" : `${calls} calls`
  const found =
    differences.length === 0
      ? "none would be decided otherwise"
      : `${differences.length} would be decided otherwise`
  process.stdout.write(`${[`${count}, ${found}.`, ...notes].map((line) => printable(line)).join("\n")}\n`)
}
