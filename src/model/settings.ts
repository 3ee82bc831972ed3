/** The executor's options as it reads them: checked, and with their defaults filled in. */
import { resolve } from "node:path"
import type { Tracer as EffectTracer } from "effect/Tracer"
import { type LimitSettings, toLimits } from "../limits/limits.ts"
import type { ResolveChoice } from "../resolve/tool-choice.ts"
import type { Tracer } from "../tracing/tracer.ts"
import { toUndoBounds, type UndoBounds } from "../undo/undo-options.ts"
import type { Decision, Reviewer } from "./decision.ts"
import { toMillis } from "./duration.ts"
import { expectFlag, expectFunction, expectKnown, got, toCount, toOutputBytes } from "./got.ts"
import type { CallFilter, Delegates, Hooks, ToolExecutorOptions } from "./options.ts"

/** The options with defaults filled in; times in milliseconds, `Infinity` for none. */
export interface Settings {
  readonly cwd: string
  readonly workspace: string | undefined
  readonly delegates: Delegates
  readonly backgroundConcurrency: number
  readonly callTimeout: number
  readonly backgroundAfter: number
  readonly taskTimeout: number
  readonly approvalTimeout: number
  readonly delegateTimeout: number
  readonly consumerTimeout: number
  readonly finallyTimeout: number
  readonly taskTtl: number
  readonly maxTasks: number
  readonly maxPendingActions: number
  readonly eventBuffer: number
  readonly eventBufferBytes: number
  readonly limits: ReadonlyArray<LimitSettings>
  /** Undefined for the default. `Infinity` for none. */
  readonly maxOutputBytes: number | undefined
  /** Undefined if no changes are kept. */
  readonly undo: UndoBounds | undefined
  readonly parallelReads: boolean
  readonly resolveChoice: ResolveChoice
  readonly hooks: Hooks
  readonly reviewers: ReadonlyArray<Reviewer>
  readonly onEscalate: ToolExecutorOptions["onEscalate"]
  readonly onDecision: ((decision: Decision) => void) | undefined
  readonly trace: boolean | Tracer | EffectTracer
}

const noHooks: Hooks = {}
const noDelegates: Delegates = {}
const noReviewers: ReadonlyArray<Reviewer> = []

const toReviewers = (reviewers: ReadonlyArray<Reviewer> = noReviewers): ReadonlyArray<Reviewer> => {
  if (!Array.isArray(reviewers))
    throw new TypeError(`Expected \`reviewers\` to be an array, ${got(reviewers)}`)
  for (const reviewer of reviewers) {
    if (typeof reviewer !== "function")
      throw new TypeError(`Expected each of \`reviewers\` to be a function, ${got(reviewer)}`)
  }
  return reviewers
}

const expectFunctions = (name: string, value: unknown): void => {
  if ((typeof value !== "object" || value === null) && typeof value !== "function")
    throw new TypeError(`Expected \`${name}\` to be an object of functions, ${got(value)}`)
}

/** Resolved once: the base of relative paths must not change when the process changes its folder. */
const toCwd = (cwd: string | undefined): string => {
  const folder = cwd ?? process.cwd()
  if (typeof folder !== "string") throw new TypeError(`Expected \`cwd\` to be a path, ${got(folder)}`)
  return resolve(folder)
}

const toWorkspace = (given: string | undefined): string | undefined => {
  const workspace = given ?? undefined
  if (workspace === undefined || (typeof workspace === "string" && workspace !== "")) return workspace
  throw new TypeError(`Expected \`workspace\` to be the path of a folder, ${got(workspace)}`)
}

const expectFilters = (filters: CallFilter | undefined): void => {
  if (filters === undefined || filters === null || typeof filters.evaluate === "function") return
  throw new TypeError(
    `Expected \`filters\` to be what \`ToolFilters.compile\` gives, or to have its \`evaluate\`, ${got(filters)}`,
  )
}

const toDelegates = (delegates: Delegates | undefined): Delegates => {
  if (delegates === undefined || delegates === null) return noDelegates
  expectFunctions("delegates", delegates)
  for (const tag of Object.keys(delegates)) expectFunction(`delegates.${tag}`, delegates[tag])
  return delegates
}

const toHooks = (hooks: Hooks | undefined): Hooks => {
  if (hooks === undefined || hooks === null) return noHooks
  expectFunctions("hooks", hooks)
  expectFunction("hooks.beforeCall", hooks.beforeCall)
  expectFunction("hooks.afterCall", hooks.afterCall)
  return hooks
}

const toTrace = (trace: Settings["trace"] = false): Settings["trace"] => {
  const { call, span } = (trace ?? {}) as { readonly call?: unknown; readonly span?: unknown }
  if (typeof trace === "boolean" || typeof call === "function" || typeof span === "function") return trace
  throw new TypeError(
    `Expected \`trace\` to be true, false, or a Tracer of stepline or of Effect, ${got(trace)}`,
  )
}

/** Throws a TypeError that names the option for an invalid value. */
export const toSettings = (options: ToolExecutorOptions): Settings => {
  const { resolveChoice = "soft" } = options
  if (resolveChoice !== "soft" && resolveChoice !== "forced") {
    throw new TypeError(`Expected \`resolveChoice\` to be \`soft\` or \`forced\`, ${got(resolveChoice)}`)
  }
  expectFilters(options.filters)
  expectFunction("onDecision", options.onDecision)
  expectFunction("onEscalate", options.onEscalate)
  expectFlag("parallelReads", options.parallelReads)
  const settings: Settings = {
    cwd: toCwd(options.cwd),
    workspace: toWorkspace(options.workspace),
    delegates: toDelegates(options.delegates),
    backgroundConcurrency: toCount("backgroundConcurrency", options.backgroundConcurrency, 64),
    callTimeout: toMillis("callTimeout", options.callTimeout, "10 minutes"),
    backgroundAfter: toMillis("backgroundAfter", options.backgroundAfter),
    taskTimeout: toMillis("taskTimeout", options.taskTimeout),
    approvalTimeout: toMillis("approvalTimeout", options.approvalTimeout),
    delegateTimeout: toMillis("delegateTimeout", options.delegateTimeout, "30 seconds"),
    consumerTimeout: toMillis("consumerTimeout", options.consumerTimeout),
    finallyTimeout: toMillis("finallyTimeout", options.finallyTimeout, "5 seconds"),
    taskTtl: toMillis("taskTtl", options.taskTtl, "1 hour"),
    maxTasks: toCount("maxTasks", options.maxTasks, 1000),
    maxPendingActions: toCount("maxPendingActions", options.maxPendingActions, 100),
    eventBuffer: toCount("eventBuffer", options.eventBuffer, 1024),
    eventBufferBytes: toCount("eventBufferBytes", options.eventBufferBytes, 8 * 1024 * 1024),
    limits: toLimits(options.limits),
    maxOutputBytes: toOutputBytes(options.maxOutputBytes),
    undo: toUndoBounds(options.undo),
    parallelReads: options.parallelReads === true,
    resolveChoice,
    hooks: toHooks(options.hooks),
    reviewers: toReviewers(options.reviewers),
    onEscalate: options.onEscalate ?? undefined,
    onDecision: options.onDecision,
    trace: toTrace(options.trace),
  }
  expectKnown("An executor", options, ["filters", ...Object.keys(settings)])
  return settings
}
