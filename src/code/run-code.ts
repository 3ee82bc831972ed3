/** Runs code in a sandbox: QuickJS in a worker thread, by the package `run`. */
import { setMaxListeners } from "node:events"
import { Script } from "node:vm"
import type { RunError } from "run"
import { isMissingModule, notInstalled } from "../io/missing-module.ts"
import type { HandlerContext } from "../model/handler.ts"
import { Step, ToolError } from "../model/step.ts"
import type { ToolDefinition } from "../model/tool-definition.ts"
import { type GivenOutput, textOutput } from "../output/output.ts"
import { messageOf } from "../text/message-of.ts"
import { CodeHost } from "./code-host.ts"
import type { CodeBounds } from "./code-limits.ts"
import { placeIn } from "./code-place.ts"
import { type PlannedResult, planText } from "./code-plan.ts"
import { type Determinism, guestProgram } from "./guest-program.ts"

/** Loads the package when the first code runs. */
const loadRun = async (): Promise<typeof import("run")> => {
  try {
    return await import("run")
  } catch (cause) {
    if (isMissingModule(cause)) throw new ToolError(notInstalled("run", "2"), { cause })
    throw cause
  }
}

/** The package's maximum. This host measures the time itself, to exclude the time of people. */
const unbounded = 2 ** 31 - 1

const limitsOf = ({ memory, bytes, source, calls }: CodeBounds, given: number) => ({
  timeoutMs: unbounded,
  memoryLimitBytes: Math.min(unbounded, memory),
  // The result is a text of JSON, whose quotes are escaped on its way.
  maxResultBytes: Math.min(unbounded, 4 * bytes),
  // The package's console would write to the console of this process.
  maxConsoleOutputBytes: 1,
  maxSourceBytes: source + given,
  maxHostFunctionArgumentsBytes: Math.min(unbounded, 4 * bytes),
  maxHostFunctionOutputBytes: Math.min(unbounded, 4 * bytes),
  maxBridgeRequests: unbounded,
  maxInFlightBridgeRequests: calls + 100,
  maxContinuationBytes: unbounded,
})

/** The package's own signal gets a listener for each open call, of which Node warns from the eleventh on. */
const withoutWarning = (functions: CodeHost["functions"], signal: () => AbortSignal): CodeHost["functions"] =>
  Object.fromEntries(
    Object.entries(functions).map(([name, call]) => [
      name,
      (...given) => {
        setMaxListeners(0, signal())
        return call(...given)
      },
    ]),
  )

/** The tools that are described to code, and which it can call. */
export interface CodeTools {
  readonly tools: ReadonlyArray<ToolDefinition>
  readonly mayCall: (name: string) => boolean
}

/** Runs the source, and outputs its log, then its result as JSON. */
export const runCode = async (
  context: HandlerContext,
  source: string,
  { tools, mayCall }: CodeTools,
  bounds: CodeBounds,
  determinism: Determinism,
  plans: boolean,
): Promise<Step> => {
  const { run, getHostFunctionContext } = await loadRun()
  const host = new CodeHost(context, tools, mayCall, bounds, plans)
  const { program, column } = guestProgram(source, determinism, bounds.log)
  const failed = (message: string, cause?: unknown) =>
    Step.Error(message, {
      cause,
      ...(host.log !== "" && { output: textOutput(loggedIn(host.log).trimEnd()) }),
    })
  host.clock.start()
  try {
    const limits = limitsOf(bounds, program.length - source.length + 16)
    const given = {
      source: program,
      hostFunctions: { $host: withoutWarning(host.functions, () => getHostFunctionContext().abortSignal) },
      abortSignal: host.signal,
      limits,
    }
    const { value } = (await run(given)) as { readonly value?: string }
    if (value !== undefined && Buffer.byteLength(value) > bounds.bytes) return failed(tooLong(bounds))
    // The time of people and of tools does not count as the code's.
    const planned = await host.clock.during(host.plan?.carryOut() ?? Promise.resolve(undefined))
    return Step.Output(outputOf(value, host.log, planned))
  } catch (error) {
    if (context.signal.aborted) throw context.signal.reason
    const message = host.ended ?? faultOf(error, column, source.split("\n").length, bounds)
    return failed(message, error)
  } finally {
    host.clock.stop()
  }
}

/** Only parsed, never run: a closing brace in the source can end the function, but what follows is not run either. */
const isScript = (source: string): boolean => {
  try {
    new Script(`(async () => {${source}\n})`)
    return true
  } catch {
    return false
  }
}

/**
 * Resolves with the sandbox's reason why the source cannot be parsed, or with undefined. Source that this process can parse
 * needs no sandbox.
 */
export const sourceFault = async (source: string, bounds: CodeBounds): Promise<string | undefined> => {
  if (Buffer.byteLength(source) > bounds.source) return advice.RUN_SOURCE_TOO_LARGE
  if (isScript(source)) return undefined
  const { run } = await loadRun()
  // Nothing is run, whatever the source closes.
  const start = "return; void (async () => {"
  try {
    // It can be TypeScript: the package strips the types.
    const limits = { ...limitsOf(bounds, 64), timeoutMs: 5000 }
    await run({ source: `${start}${source}\n})`, hostFunctions: {}, limits })
    return undefined
  } catch (error) {
    return `${faultOf(error, start.length, source.split("\n").length, bounds)}\nNothing was run. Correct the source, and call run_code again.`
  }
}

const loggedIn = (log: string): string => (log === "" ? "" : `[log]\n${log.trimEnd()}\n`)

const outputOf = (
  json: string | undefined,
  log: string,
  plan: ReadonlyArray<PlannedResult> | undefined,
): GivenOutput => {
  const result = json === undefined ? "(no result)" : json
  const text = log === "" && plan === undefined ? result : `${loggedIn(log)}[result]\n${result}`
  return {
    content: [{ type: "text", text: plan === undefined ? text : `${text}\n[plan]\n${planText(plan)}` }],
    structured: {
      result: json === undefined ? null : JSON.parse(json),
      ...(log !== "" && { log }),
      ...(plan !== undefined && { plan }),
    },
  }
}

/** The message for the model, by the package's error code. */
const advice: Readonly<Record<string, string>> = {
  RUN_DETACHED_BRIDGE_REQUEST: "The code ended before a call of it did. Await every call of a tool.",
  RUN_CONCURRENCY_LIMIT: "Too much code runs at once. Try again in a moment.",
  // The package allows a fixed number of steps, which a loop can use up before `time` is over.
  RUN_TIMEOUT:
    "The code computed for too long. Look for a loop that does not end, or do the work in several runs.",
  RUN_SOURCE_TOO_LARGE: "The source is too long. Split it into several runs.",
}

const tooLong = ({ bytes }: CodeBounds): string =>
  `The result of the run has more than ${bytes} bytes. Return less at once.`

/** What QuickJS says when it has no memory left, also for the first, and for the answer of a call. */
const outOfMemory = new Set([
  "out of memory",
  "Job execution error: null",
  "Host function result is invalid run-js-v1 data: out of memory",
])

const faultOf = (error: unknown, column: number, lines: number, bounds: CodeBounds): string => {
  const { code = "", name, stack } = error as Partial<RunError>
  const known = advice[code]
  if (known !== undefined) return known
  if (code === "RUN_SERIALIZATION_ERROR") return tooLong(bounds)
  const message = messageOf(error)
  const kind = name === undefined || name === "Error" ? "" : `${name}: `
  const memory = outOfMemory.has(message) ? ". The code needs too much memory: keep less at once." : ""
  return `${kind}${message}${memory}${placeIn(stack, column, lines, name === "SyntaxError")}`
}
