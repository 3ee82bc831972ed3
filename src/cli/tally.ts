/** Compares how a run's calls ended with their expected ends, as an exit status; and lists the remaining previews. */
import { exitCodeOf } from "../hosts/terminal/command-exit.ts"
import type { ActionResolvedEvent, FinalStatus } from "../model/event.ts"
import type { ExpectedEnd } from "./script.ts"

export const exitStatus = {
  /** Every call ended as expected. */
  asExpected: 0,
  /** A call failed, was cancelled, or did not end as expected. */
  failed: 1,
  /** Nothing ran: the command line or the script is invalid. */
  usage: 2,
  /** No call failed, but one was denied. */
  denied: 3,
} as const

const isMeant = (expected: ExpectedEnd, status: FinalStatus, details: unknown): boolean => {
  if (status !== "complete") return status === expected
  const exitCode = exitCodeOf(details)
  if (typeof expected === "object") return exitCode === expected.exitCode
  return expected === "complete" && (exitCode === undefined || exitCode === 0)
}

export class Tally {
  private readonly expected = new Map<string, ExpectedEnd>()
  private readonly endedCalls = new Set<string>()
  /** The labels of previews that were neither applied nor discarded. They do not count as failures. */
  readonly dropped: Array<string> = []
  private failed = 0
  private denied = 0

  expect(callId: string, end: ExpectedEnd): void {
    this.expected.set(callId, end)
  }

  /** `details`: of the call's output. */
  ended(callId: string, status: FinalStatus, details?: unknown): void {
    this.endedCalls.add(callId)
    if (isMeant(this.expected.get(callId) ?? "complete", status, details)) return
    if (status === "denied") this.denied += 1
    else this.failed += 1
  }

  resolved({ outcome, label }: ActionResolvedEvent): void {
    if (outcome === "dropped") this.dropped.push(label)
  }

  hasEnded(callId: string): boolean {
    return this.endedCalls.has(callId)
  }

  get exitStatus(): number {
    if (this.failed > 0) return exitStatus.failed
    return this.denied > 0 ? exitStatus.denied : exitStatus.asExpected
  }
}
