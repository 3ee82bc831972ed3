/** `stepline replay`: what the present rules would decide about the recorded calls of a store. Runs none of them. */
import { homedir } from "node:os"
import { resolve } from "node:path"
import type { StoredEvent } from "../durable/index.ts"
import { allTools } from "../impls/index.ts"
import { toMillis } from "../model/duration.ts"
import type { ToolRegistry } from "../model/registry.ts"
import { ToolExecutor } from "../pipeline/executor.ts"
import type { ToolFilters } from "../policy/index.ts"
import { resolveName } from "../resolve/definition.ts"
import { KeptRules } from "./kept-rules.ts"
import { expectFolder } from "./local-executor.ts"
import { commandMachine } from "./local-machine.ts"
import { localTools, type ToolsOptions } from "./local-tools.ts"
import { connectServers, type McpServersOptions } from "./mcp-servers.ts"
import {
  type RecordedCall,
  recordedCalls,
  type Undecided,
  type Verdict,
  verdictOf,
} from "./recorded-calls.ts"
import { Findings, showFindings } from "./replay-findings.ts"
import { loadFilters, type RuleOptions } from "./rules.ts"
import { exitStatus } from "./tally.ts"
import { tell } from "./tell.ts"
import { readNamedFile } from "./text-file.ts"
import { UsageError } from "./usage-error.ts"

export interface ReplayOptions extends ToolsOptions, RuleOptions, McpServersOptions {
  readonly cwd?: string
  /** Only calls of this agent. */
  readonly agent?: string
  /** Only calls that began since: an ISO time, or how long ago. */
  readonly since?: string
  readonly json?: boolean
}

const sinceOf = (text: string | undefined): number => {
  if (text === undefined) return Number.NEGATIVE_INFINITY
  try {
    // A time begins with its year; a bare number would be ambiguous.
    const at = /^\d{4}-/.test(text) ? Date.parse(text) : Date.now() - toMillis("since", text as "1 day")
    if (!Number.isNaN(at)) return at
  } catch {
    // Throw the error below.
  }
  throw new UsageError(
    `--since ${text}: expected a time such as 2026-01-31T12:00Z, or how long ago, such as "2 days"`,
  )
}

const ofResolve = "of `resolve`, which is decided about the call that made the preview"
const notFitting = "whose parameters do not fit the tool that is here"
const early = "that ended before it came to a gate"

interface Judge {
  readonly executor: ToolExecutor
  readonly registry: ToolRegistry
  readonly filters: ToolFilters
}

const verdicts = { approve: "allow", ask: "ask", deny: "deny" } as const

/** The verdict of the present rules; else why there is none. */
const decideAnew = async (
  { callId, agentId, name, params, decision, isAsked }: RecordedCall,
  { executor, registry, filters }: Judge,
): Promise<Verdict | string> => {
  const { verdict, reason, by } = await executor.decide({ callId, agentId, name, params, decision })
  if (verdict === "invalid") return notFitting
  // A handler asked, which no plan shows.
  if (verdict === "run" && by === undefined && isAsked) {
    const explanation = filters.explain(registry.get(name)!, params)
    return verdictOf(verdicts[explanation.verdict], explanation, explanation.because)
  }
  return verdictOf(verdict === "run" ? "allow" : verdict, by ?? {}, by?.reason ?? reason)
}

const replayOne = async (call: RecordedCall, judge: Judge, findings: Findings): Promise<void> => {
  if (call.name === resolveName) return findings.leaveOut(ofResolve)
  if (judge.registry.get(call.name) === undefined) return findings.leaveOutTool(call.name)
  const now = await decideAnew(call, judge)
  if (typeof now === "string") return findings.leaveOut(now)
  if (call.isBeforeGate && now.verdict === "ask") return findings.leaveOut(early)
  findings.compare(call, now)
}

const replayAll = async (
  calls: AsyncIterable<RecordedCall | Undecided>,
  since: number,
  judge: Judge,
): Promise<Findings> => {
  const findings = new Findings()
  for await (const call of calls) {
    if (call.at < since) continue
    findings.calls += 1
    if ("why" in call) findings.leaveOut(call.why)
    else await replayOne(call, judge, findings)
  }
  return findings
}

/** Loads the rules as `run` does. */
const withJudge = async <T>(options: ReplayOptions, work: (judge: Judge) => Promise<T>): Promise<T> => {
  const cwd = await expectFolder(options.cwd ?? process.cwd())
  const { machine } = await commandMachine({}, cwd)
  const { registry, project } = await localTools(allTools(machine), options, cwd)
  const file = options.rules === undefined ? undefined : resolve(options.rules)
  // `run` would create the file; here a missing file would look like changed rules.
  if (file !== undefined) await readNamedFile(file)
  const kept = await KeptRules.open({ file, cwd, home: homedir(), project })
  kept.problems.forEach(tell)
  const servers = await connectServers(options, registry, cwd)
  servers.problems.forEach(tell)
  try {
    const { filters } = await loadFilters(options, registry, { cwd, onUnknownTool: tell })
    for (const { rules, source } of kept.files) filters.add(rules, source)
    await using executor = new ToolExecutor(registry, { cwd, filters })
    return await work({ executor, registry, filters: filters.at(cwd) })
  } finally {
    await servers.close()
  }
}

/** Resolves with the exit status: 1 if a decision would differ. */
export const replayCommand = async (store: string, options: ReplayOptions): Promise<number> => {
  const { agent, json = false } = options
  const since = sinceOf(options.since)
  const { openRecording, recordedEvents } = await import("../durable/recorded-events.ts")
  const { StoreError } = await import("../durable/store-error.ts")
  const recording = await openRecording(store).catch((error: unknown) => {
    throw error instanceof StoreError ? new UsageError(error.message) : error
  })
  try {
    const events: AsyncIterable<StoredEvent> = recordedEvents(recording, agent)
    const findings = await withJudge(options, (judge) => replayAll(recordedCalls(events), since, judge))
    showFindings(findings, json)
    return findings.differences.length === 0 ? exitStatus.asExpected : exitStatus.failed
  } finally {
    await recording.close()
  }
}
