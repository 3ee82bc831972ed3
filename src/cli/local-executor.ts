/** The executor of a command: its tools, on this machine, under the rules of the command line. */
import { stat } from "node:fs/promises"
import { homedir } from "node:os"
import { resolve } from "node:path"
import type { UIContext } from "../custom-tools/ui-context.ts"
import type { DurableExecutor } from "../durable/index.ts"
import { recordedChanges } from "../handlers/file-changes.ts"
import { DecisionLog } from "../hosts/decision-log.ts"
import { inputOn } from "../hosts/input-form.ts"
import { printable } from "../hosts/terminal/printable.ts"
import { subagentTools } from "../impls/index.ts"
import { localBrowser } from "../io/browser.ts"
import { writeFault } from "../io/file-fault.ts"
import type { Machine } from "../io/machine.ts"
import type { Delegates, ToolExecutorOptions } from "../model/options.ts"
import type { ToolRegistry } from "../model/registry.ts"
import { ToolExecutor } from "../pipeline/executor.ts"
import type { ToolFilterConfig, ToolFilters } from "../policy/index.ts"
import { leavesSandbox, sandboxFilters } from "../sandbox/sandbox-filters.ts"
import { messageOf } from "../text/message-of.ts"
import { openStore } from "./durable-store.ts"
import { KeptRules } from "./kept-rules.ts"
import { type LimitOptions, loadLimits } from "./limits.ts"
import { commandMachine, type MachineOptions } from "./local-machine.ts"
import { environmentRules, loadErrors, localTools, type ToolsOptions } from "./local-tools.ts"
import { isLoneCall, type LoneCallOptions } from "./lone-call.ts"
import { connectServers, type McpServersOptions } from "./mcp-servers.ts"
import type { NvimEditor, NvimSocket } from "./nvim-editor.ts"
import { loadFilters, type RuleOptions } from "./rules.ts"
import { tell as tellOnStderr } from "./tell.ts"
import { UsageError } from "./usage-error.ts"

export interface LocalOptions
  extends RuleOptions,
    ToolsOptions,
    MachineOptions,
    McpServersOptions,
    LimitOptions,
    LoneCallOptions {
  /** The working directory of the tools. Default: the process's. */
  readonly cwd?: string
  /** The file to log decisions to. Default: none. */
  readonly log?: string
  /** The file with the key that signs the log's lines. Default: none. */
  readonly logKey?: string
  /** The Neovim that shows edits. Default: none. */
  readonly nvim?: NvimSocket
  /** The store that keeps the calls. Default: none. */
  readonly durable?: string
  /** Whether the user's rules in the home folder are used, and answers at gates are stored there. Default: true. */
  readonly keptRules?: boolean
}

/** Settings of an executor in addition to the command line's options, whose restrictions take precedence. */
export interface EmbeddingOptions {
  readonly settings?: Omit<ToolExecutorOptions, "cwd" | "filters" | "hooks">
  readonly rules?: ToolFilterConfig | undefined
}

export interface LocalExecutor {
  readonly executor: ToolExecutor
  /** The durable executor that keeps its calls; undefined if none does. */
  readonly durable: DurableExecutor | undefined
  readonly registry: ToolRegistry
  /** Absolute. */
  readonly cwd: string
  /** Returns the rule that a person can make from a call. */
  readonly filters: Pick<ToolFilters, "rememberable">
  /** The file for remembered rules; undefined if there is none. */
  readonly rulesPath: string | undefined
  readonly editor: NvimEditor | undefined
  /**
   * Emits the session start to the tools of other agents; call it once. Resolves with suspicious rules, and tools that could
   * not be loaded, one line each.
   *
   * @param ui The screen on which they ask their user. Default: none.
   */
  start(ui?: UIContext): Promise<ReadonlyArray<string>>
  /** Releases the resources of the tools and the host. Call it after the executor's shutdown. */
  close(): Promise<void>
}

const openLog = ({ log: path, logKey: key }: LocalOptions): DecisionLog | undefined => {
  if (path === undefined) {
    if (key !== undefined) throw new UsageError("--log-key signs the lines of --log: give both")
    return undefined
  }
  try {
    return DecisionLog.open(resolve(path), key === undefined ? {} : { key: resolve(key) })
  } catch (error) {
    // Errors about the file's content already contain its name.
    const isSystems = (error as NodeJS.ErrnoException).code !== undefined
    throw new UsageError(`--log${isSystems ? ` ${path}: ${writeFault(error)}` : `: ${messageOf(error)}`}`)
  }
}

/** Reports a failure to write the log only once, and sets a failure status. */
const writing = (log: DecisionLog): DecisionLog["add"] => {
  let isTold = false
  return (decision) => {
    try {
      log.add(decision)
    } catch (error) {
      if (isTold) return
      isTold = true
      process.stderr.write(`stepline: --log: ${printable(messageOf(error))}\n`)
      process.once("exit", () => {
        process.exitCode ||= 1
      })
    }
  }
}

const openEditor = async (socket: NvimSocket | undefined): Promise<NvimEditor | undefined> => {
  if (socket === undefined) return undefined
  const { NvimEditor } = await import("./nvim-editor.ts")
  return new NvimEditor(socket)
}

/** Rejects with a UsageError for anything but a folder. */
export const expectFolder = async (path: string): Promise<string> => {
  const folder = resolve(path)
  const entry = await stat(folder).catch(() => undefined)
  if (entry?.isDirectory() === true) return folder
  throw new UsageError(`--cwd ${path}: there is no such folder`)
}

const addRules = (filters: ToolFilters, rules: ToolFilterConfig): void => {
  try {
    filters.add(rules, "initialize")
  } catch (error) {
    throw new UsageError(messageOf(error))
  }
}

/**
 * Rejects with a UsageError for options that name something that does not exist.
 *
 * @param machineOn Wraps the machine that the tools run on. Default: no wrapper.
 */
export const localExecutor = async (
  options: LocalOptions,
  embedding?: EmbeddingOptions,
  machineOn: (machine: Machine) => Machine = (machine) => machine,
): Promise<LocalExecutor> => {
  const { settings = {}, rules } = embedding ?? {}
  const cwd = await expectFolder(options.cwd ?? process.cwd())
  const { machine: made, close: closeMachine } = await commandMachine(options, cwd)
  const machine = machineOn({ ...made, env: environmentRules(options) })
  const builtIn = subagentTools(machine)
  const isAlone = await isLoneCall(options, new Set(builtIn.map(({ name }) => name)))
  const { registry, customTools, isPart, project } = await localTools(builtIn, options, cwd, isAlone)
  const kept = await KeptRules.open({
    file: options.rules === undefined ? undefined : resolve(options.rules),
    cwd,
    // An embedding host stores its rules itself.
    home: embedding === undefined && options.keptRules !== false ? homedir() : undefined,
    project,
  })
  let tell = tellOnStderr
  const servers = await connectServers(options, registry, cwd)
  const onRemember = (added: ToolFilterConfig): void => kept.add(added, tell)
  const unprotecting: Array<string> = []
  // A stored rule can be for a tool that was not loaded.
  const onUnknownTool = (warning: string): void => void (isPart || unprotecting.push(warning))
  const [{ filters, places }, limits] = await Promise.all([
    loadFilters(options, registry, { cwd, onRemember, onUnknownTool }),
    loadLimits(options, registry.names),
  ]).catch(async (error) => {
    await servers.close()
    throw error
  })
  if (rules !== undefined) addRules(filters, rules)
  for (const file of kept.files) filters.add(file.rules, file.source)
  const editor = await openEditor(options.nvim)
  const delegates: Record<string, Delegates[string]> = { ...settings.delegates, ...editor?.host.delegates }
  const hooks = customTools?.hooks ?? {}
  const log = openLog(options)
  const executorOptions: ToolExecutorOptions = {
    ...settings,
    limits: [...(settings.limits ?? []), ...limits],
    cwd,
    ...(log !== undefined && { onDecision: writing(log) }),
    filters: machine.outside === undefined ? filters : sandboxFilters(filters, places),
    delegates,
    hooks,
  }
  // Calls of a store continue: their changes so far can be undone too.
  const earlier = options.durable === undefined ? [] : await recordedChanges({ cwd }, machine.files)
  const durable =
    options.durable === undefined ? undefined : await openStore(options.durable, registry, executorOptions)
  const executor = durable?.executor ?? new ToolExecutor(registry, executorOptions)
  executor.restoreChanges(earlier)
  customTools?.attach(executor)
  const here = filters.at(cwd)
  const remembering: LocalExecutor["filters"] = {
    rememberable: (tool, params) =>
      machine.outside !== undefined && leavesSandbox(params) ? undefined : here.rememberable(tool, params),
  }
  const start = async (ui?: UIContext) => {
    if (ui !== undefined) {
      tell = (problem) => ui.notify(problem, "warning")
      customTools?.setUIContext(ui, true)
      // Read with each effect. Without a screen the host may pass the questions of MCP servers on.
      delegates.McpInput ??= inputOn(() => ui) as Delegates[string]
    }
    await customTools?.emit({ reason: "start" })
    return [
      ...kept.problems,
      ...unprotecting,
      ...filters.warnings,
      ...loadErrors(customTools, cwd),
      ...servers.problems,
    ]
  }
  const close = async () => {
    await durable?.close()
    await kept.settled()
    await customTools?.emit({ reason: "shutdown" })
    await editor?.host.close()
    await servers.close()
    await localBrowser.close()
    await closeMachine()
    log?.close()
  }
  return {
    executor,
    durable,
    registry,
    cwd,
    filters: remembering,
    rulesPath: kept.path,
    editor,
    start,
    close,
  }
}
