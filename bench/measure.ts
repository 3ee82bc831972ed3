/**
 * Medians of rounds in which the sides take turns, so that a busy machine slows all of them alike. Garbage is collected
 * when V8 sees fit: a full collection between rounds, with no call alive, also makes it drop its optimised code.
 */
import { readFileSync } from "node:fs"

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

export interface Rounds {
  /** Not counted. */
  readonly warmUp: number
  readonly counted: number
}

/** The median of what each side returns. */
export const interleave = async <Name extends string>(
  sides: Readonly<Record<Name, () => Promise<number>>>,
  { warmUp, counted }: Rounds,
): Promise<Record<Name, number>> => {
  const names = Object.keys(sides) as Array<Name>
  const samples = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<
    Name,
    Array<number>
  >
  for (let round = 0; round < warmUp + counted; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const value = await sides[name]()
      if (round >= warmUp) samples[name].push(value)
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(samples[name])])) as Record<Name, number>
}

/** Milliseconds of the processor that the main thread has used. Elsewhere than on Linux, those of the clock. */
export const threadMillis = (): number => {
  if (process.platform !== "linux") return performance.now()
  // Linux brings the thread's own figure up to date when it is asked for the process's.
  process.cpuUsage()
  return Number(readFileSync("/proc/self/schedstat", "latin1").split(" ")[0]) / 1e6
}
