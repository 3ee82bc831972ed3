/** `stepline run`: runs the calls of a script, and shows them as blocks or JSON lines. */

import { text } from "node:stream/consumers"
import type { DurableExecutor } from "../durable/index.ts"
import { Notifications } from "../hosts/notifications.ts"
import { answerEffect } from "../hosts/terminal/answer-effect.ts"
import { BlockView } from "../hosts/terminal/block-view.ts"
import { wrap } from "../hosts/terminal/columns.ts"
import { decideGate } from "../hosts/terminal/gate-keys.ts"
import { Keyboard } from "../hosts/terminal/keyboard.ts"
import { PlainView } from "../hosts/terminal/plain-view.ts"
import { visibleLine } from "../hosts/terminal/render-text.ts"
import { hasColors } from "../hosts/terminal/style.ts"
import type { Web } from "../hosts/web/server/serve-web.ts"
import { statusOfSignal } from "../io/exit-status.ts"
import { stayAlive } from "../io/stay-alive.ts"
import { type AwaitingApprovalEvent, type FinalStatus, type ToolEvent, unattended } from "../model/event.ts"
import type { ToolExecutor } from "../pipeline/executor.ts"
import { noRuleFor } from "../pipeline/questions/ruling.ts"
import { leavesSandbox } from "../sandbox/sandbox-filters.ts"
import type { BackgroundTasks } from "../tasks/background-tasks.ts"
import { agentsOf, durableStep, untilTaken } from "./durable-store.ts"
import { type LocalExecutor, type LocalOptions, localExecutor } from "./local-executor.ts"
import { openPage, type PageOptions } from "./page.ts"
import { personOf } from "./person.ts"
import { blockReporter, jsonReporter, type Reporter } from "./reporter.ts"
import { parseScript, type ScriptStep } from "./script.ts"
import { Stopping } from "./stopping.ts"
import { exitStatus, Tally } from "./tally.ts"
import { tell } from "./tell.ts"
import { readTextFile } from "./text-file.ts"
import { TimelineFile } from "./timeline-file.ts"

export interface RunOptions extends LocalOptions, PageOptions {
  /** The file for the timeline of all calls. Default: none. */
  readonly timeline?: string
  /** One event per line instead of blocks. */
  readonly json?: boolean
  /** Approves every gate, unless a deny rule stops the call. */
  readonly yes?: boolean
}

/** Who decides if no rule does. `elsewhere`: a person, at the terminal, on the page, or in the store's inbox. */
type Decider = "approve" | "deny" | "elsewhere"

interface Host {
  /** Whether a person can be asked. */
  readonly isAttended: boolean
  readonly reporter: Reporter
  readonly decider: Decider
}

const readScript = async (file: string): Promise<string> => {
  if (file === "-") return text(process.stdin)
  return readTextFile(file)
}

/** The reason for a denial if nobody can be asked. */
export const unasked = ({ name, because }: AwaitingApprovalEvent): string => {
  const why = because === noRuleFor(name) ? "" : ` ${because}`
  return `no rule allows this call and there is no terminal to ask on.${why} Allow it with --allow ${name}=REGEX, or all with --yes.`
}

/** The reason where `--yes` does not help: only a person can let a call leave the sandbox. */
export const unaskedOutside =
  "this call would leave the sandbox, and there is no terminal to ask a person on."

/** The reason for any other gate that needs a person. */
export const unaskedPerson = "only a person may approve this call, and there is no terminal to ask one on."

const decide = (event: AwaitingApprovalEvent, { decider, reporter, isAttended }: Host): void => {
  if (event.person === true) {
    if (isAttended) return
    event.deny(leavesSandbox(event.params) ? unaskedOutside : unaskedPerson, unattended)
  } else if (decider === "approve") {
    event.approve()
    reporter.approved(event.callId)
  } else if (decider === "deny") {
    event.deny(unasked(event), unattended)
  }
}

const makeHost = (
  { executor, filters }: Pick<LocalExecutor, "executor" | "filters">,
  isScriptOnStdin: boolean,
  options: RunOptions,
  stop: (exitStatus: number) => void,
): Host => {
  const { stdin, stdout } = process
  // A person can be asked on the page, or through the store with `stepline inbox`.
  const isAttended = options.ui === true || options.durable !== undefined
  const decider = options.yes === true ? "approve" : isAttended ? "elsewhere" : "deny"
  if (options.json === true) {
    return {
      reporter: jsonReporter(stdout, new Notifications({ tasks: executor.tasks })),
      decider,
      isAttended,
    }
  }
  const colors = hasColors(stdout)
  const viewOptions = { output: stdout, colors, tool: (name: string) => executor.agent().tool(name), filters }
  if (!stdout.isTTY || process.env.TERM === "dumb") {
    return { reporter: blockReporter(new PlainView(viewOptions), executor.tasks), decider, isAttended }
  }
  const view = new BlockView(viewOptions)
  const answering = {
    executor,
    view,
    by: personOf(options.as),
    say: (text: string) => view.print(wrap(text, view.width).map(view.style.dim)),
  }
  const reporter = blockReporter(view, executor.tasks)
  stdout.on("resize", () => view.resized())
  process.once("exit", () => view.close())
  if (!stdin.isTTY || isScriptOnStdin) return { reporter, decider, isAttended }
  const keyboard = new Keyboard(stdin, stdout, (key) => {
    view.pressed()
    if (key.ctrl && key.name === "c") stop(statusOfSignal("SIGINT"))
    else if (key.ctrl && key.name === "o") view.expand()
    else decideGate(key, answering)
  })
  process.once("exit", () => keyboard.close())
  keyboard.open()
  const close = () => {
    reporter.close()
    keyboard.close()
  }
  return {
    reporter: { ...reporter, close },
    decider: options.yes === true ? "approve" : "elsewhere",
    isAttended: true,
  }
}

/** The final status of a call, if the event ends it. */
export const endOf = (event: ToolEvent): FinalStatus | undefined => {
  switch (event._tag) {
    case "Completed":
      return "complete"
    case "Error":
      return "error"
    case "Denied":
      return "denied"
    case "Cancelled":
      return "cancelled"
    case "BackgroundCompleted":
      return event.status
    default:
      return undefined
  }
}

/** The details of an ended call; those of a background task are in its result. */
export const detailsOf = (event: ToolEvent, tasks: BackgroundTasks): unknown => {
  if (event._tag === "Completed") return event.output.details
  return event._tag === "BackgroundCompleted" ? tasks.get(event.callId)?.output?.details : undefined
}

const answer = (event: ToolEvent, host: Host, tally: Tally, tasks: BackgroundTasks): void => {
  const details = detailsOf(event, tasks)
  host.reporter.event(event)
  if (event._tag === "Delegate") answerEffect(event)
  else if (event._tag === "AwaitingApproval") decide(event, host)
  else if (event._tag === "ActionResolved") tally.resolved(event)
  const status = endOf(event)
  // The end of a nested call counts only through its outer call.
  if (status !== undefined && "callId" in event && event.parentId === undefined)
    tally.ended(event.callId, status, details)
}

/** Runs the calls of a script. */
interface Runner extends Pick<LocalExecutor, "executor" | "durable"> {
  /** The ids of its present and past calls, including those of an earlier run, whose ends are reported. */
  readonly had: ReadonlySet<string>
}

const runSteps = async (
  steps: ReadonlyArray<ScriptStep>,
  { executor, durable, had }: Runner,
  host: Host,
  tally: Tally,
): Promise<void> => {
  /** Reads events until the call has ended; without an id, until all have. */
  const readEvents = async (callId?: string): Promise<void> => {
    while (callId === undefined || !tally.hasEnded(callId)) {
      const event = await executor.next()
      if (event === undefined) return
      answer(event, host, tally, executor.tasks)
    }
  }
  for (const step of steps) {
    if (step._tag === "Wait") continue
    tally.expect(step.call.callId, step.expect)
    // A call that continues from an earlier run can emit events before its line is reached.
    if (had.has(step.call.callId)) host.reporter.called(step)
  }
  for (const step of steps) {
    if (step._tag === "Wait") {
      await readEvents(step.callId)
      continue
    }
    if (had.has(step.call.callId)) continue
    if (durable !== undefined && (await hasEndedBefore(durable, step.call.callId, tally))) continue
    host.reporter.called(step)
    // A script defines calls, it does not approve them: its `approve` asks like `pending`.
    const decision = step.call.decision === "deny" ? "deny" : "pending"
    executor.enqueue([{ ...step.call, decision }])
  }
  await readEvents()
}

/** Whether a call has ended in an earlier run. If so, reports it. */
const hasEndedBefore = async (durable: DurableExecutor, callId: string, tally: Tally): Promise<boolean> => {
  const last = (await durable.result(callId)) as ToolEvent | undefined
  if (last === undefined) return false
  const status = endOf(last)!
  tally.ended(callId, status, detailsOf(last, durable.executor.tasks))
  const [said = ""] = "content" in last && status !== "complete" ? last.content.split("\n", 1) : []
  const how = status === "complete" ? "" : ` (${status}: ${said})`
  tell(`${callId} has ended before${how}, as the store says: it does not run again.`)
  return true
}

/** Resolves with the exit status. */
export const runCommand = async (file: string, options: RunOptions): Promise<number> => {
  const isScriptOnStdin = file === "-"
  const steps = parseScript(await readScript(file), isScriptOnStdin ? "stdin" : file)
  return runCalls(() => steps, { ...options, isScriptOnStdin })
}

export interface RunCallsOptions extends RunOptions {
  /** If so, nobody can be asked on stdin. */
  readonly isScriptOnStdin: boolean
}

/** @param stepsOf Returns the steps to run, for the executor's tools; can throw a UsageError. Resolves with the exit status. */
export const runCalls = async (
  stepsOf: (executor: ToolExecutor) => ReadonlyArray<ScriptStep>,
  options: RunCallsOptions,
): Promise<number> => {
  const { isScriptOnStdin } = options
  const timeline = options.timeline === undefined ? undefined : await TimelineFile.open(options.timeline)
  const local = await localExecutor({ ...options, mayAsk: !isScriptOnStdin })
  timeline?.record(local)
  const had = new Set<string>()
  // Calls of an earlier run are queued at once, before any of them continues.
  if (local.durable !== undefined) local.executor.watch({ queued: ({ callId }) => had.add(callId) })
  const { executor, editor, start, close } = local
  const problems = await start()
  const status = await editor?.status()
  if (status?.isThere === false) tell(status.sentence)
  for (const problem of problems) tell(problem)
  const tally = new Tally()
  const stopping = new Stopping()
  stopping.signal.addEventListener("abort", () => void executor.shutdown())
  const rest = local.durable === undefined ? undefined : stayAlive()
  let host: Host | undefined
  let page: Web | undefined
  let isKept: boolean | undefined
  try {
    const all = stepsOf(executor)
    const steps =
      local.durable === undefined ? all : all.map((step) => (step._tag === "Call" ? durableStep(step) : step))
    page = await openPage(local, options, tell)
    host = makeHost(local, isScriptOnStdin, options, (status) => stopping.stop(status))
    const { reporter } = host
    // The terminal must not ask for what was approved on the page.
    if (page !== undefined)
      executor.watch({
        decided: ({ verdict, callId }) => verdict === "approve" && reporter.approved(callId),
      })
    await untilTaken(agentsOf(steps), local.durable, stopping.signal)
    await runSteps(steps, { ...local, had }, host, tally)
  } catch (error) {
    // While it is being stopped, a script cannot enqueue its next call.
    if (stopping.status === undefined) throw error
  } finally {
    const down = executor.shutdown()
    // Previews that nobody applied are dropped now, and their cleanup can ask the host.
    for await (const event of executor.events) {
      if (host !== undefined) answer(event, host, tally, executor.tasks)
    }
    await down
    await page?.close()
    isKept = await timeline?.write()
    await close()
    host?.reporter.close()
    rest?.()
    stopping.end()
  }
  const { dropped } = tally
  if (dropped.length > 0) {
    const previews = dropped.length === 1 ? "preview was" : "previews were"
    const labels = dropped.map(visibleLine).join("; ")
    tell(`${dropped.length} ${previews} not applied: ${labels}`)
  }
  return stopping.status ?? (isKept === false ? exitStatus.failed : tally.exitStatus)
}
