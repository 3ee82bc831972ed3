/**
 * The process of one module: started for its first question and again after its end. A question ends as an error that says
 * so if the process ends before the answer. It ends with this process, also if it is in an endless loop.
 */
import { type ChildProcess, spawn } from "node:child_process"
import type { Socket } from "node:net"
import { requireBeside } from "../../io/beside.ts"
import { busyFactor } from "../../io/busy-machine.ts"
import { endProcesses } from "../../io/end-processes.ts"
import { environmentFor } from "../../io/environment.ts"
import { startTimeOf } from "../../io/process-table.ts"
import { reaper } from "../../io/reaper.ts"
import { addMark, newMark } from "../../io/run-marker.ts"
import { whenAborted } from "../../model/when-aborted.ts"
import { toPlainJson } from "../../output/to-plain-json.ts"
import { runOutside } from "../loading/isolation.ts"
import { loadBound } from "../loading/load-bound.ts"
import type { LoadOptions } from "../loading/load-options.ts"
import { type Handle, type Message, Peer } from "./peer.ts"

/** What a process of a module is started with. */
export interface ProcessStart {
  readonly path: string
  readonly env: LoadOptions["env"]
  /** For the module, and again for its factory. */
  readonly loadTimeout: number
  /** Further parameters of `load`. */
  readonly params: () => Message
  /** What the host says of its session now; told with each question. */
  readonly state: () => Message
}

/** What the process asks and tells on behalf of: a call, a listener or a command. */
export interface Asker {
  readonly onUpdate?: ((update: never) => void) | undefined
  readonly context?: { abort(): void } | undefined
}

/** For the heap, in megabytes. Buffers are not part of it. */
const maxHeap = 512
/** How long a call has to end after its abort, in milliseconds; then its process is ended. */
const abortGrace = 2000
/** For Node and the loader itself, in milliseconds. */
const startTime = 10_000

const program = (path: string): string => {
  try {
    return requireBeside.resolve("#isolated")
  } catch {
    throw new Error(
      `${path} cannot have a process of its own here: stepline's files are not beside this program`,
    )
  }
}

interface Running {
  readonly ask: Peer<Asker>["ask"]
  /** What `load` has answered. */
  readonly loaded: Promise<Message>
  end(): void
}

export class ModuleProcess {
  private readonly options: ProcessStart
  private readonly handle: Handle<Asker>
  private running: Running | undefined
  /** Settles once no aborted question is open: each has ended, or its process has. */
  private aborted: Promise<unknown> = Promise.resolve()
  /** Emitted again to each further process: extensions register tools in it. */
  private sessionStart: Message | undefined

  constructor(options: ProcessStart, handle: Handle<Asker>) {
    this.options = options
    this.handle = handle
  }

  /** Rejects with why the module cannot be loaded. */
  load(): Promise<Message> {
    this.running ??= runOutside(() => this.start())
    return this.running.loaded
  }

  async ask(method: string, params: Message, asker: Asker = {}, signal?: AbortSignal): Promise<unknown> {
    // A process that is about to be ended would take the question with it.
    await this.aborted
    await this.load()
    const { running } = this
    if (running === undefined) throw this.ended("before the call")
    const answer = running.ask(method, params, asker, signal)
    let timer: NodeJS.Timeout | undefined
    const abort = () => {
      timer = setTimeout(() => running.end(), abortGrace)
      this.aborted = Promise.allSettled([this.aborted, answer])
    }
    const release = signal && whenAborted(signal, abort)
    if (signal?.aborted === true) abort()
    try {
      return await answer
    } finally {
      release?.()
      clearTimeout(timer)
    }
  }

  /** Emits an event, unless there is no process. */
  async emit(given: Message, asker: Asker): Promise<void> {
    const event = toPlainJson(given) as Message
    if (event.type === "session_start") this.sessionStart = event
    if (this.running !== undefined) await this.ask("event", { event }, asker)
  }

  end(): void {
    this.running?.end()
  }

  private start(): Running {
    const { path, env, loadTimeout, params, state } = this.options
    const mark = newMark()
    const child = spawn(process.execPath, [`--max-old-space-size=${maxHeap}`, program(path)], {
      env: addMark(environmentFor(env), mark),
      detached: true,
      // What it prints goes where the output of foreign code goes.
      stdio: ["ignore", 2, 2, "pipe"],
    })
    child.unref()
    const { pid } = child
    const leave = reaper.watch(pid)
    const peer = new Peer((child as ChildProcess).stdio[3] as Socket, this.handle)
    const ask: Running["ask"] = (method, given, ...rest) =>
      peer.ask(method, { ...given, state: state() }, ...rest)
    const since = pid === undefined ? undefined : startTimeOf(pid)
    const isOver = (how: string) => {
      leave()
      if (this.running === running) this.running = undefined
      peer.close(this.ended(how))
    }
    child.once("error", ({ message }) => isOver(message))
    child.once("exit", (code, signal) => isOver(signal ?? `code ${code}`))
    const end = () => {
      if (this.running === running) this.running = undefined
      if (process.platform === "win32") child.kill()
      else if (pid !== undefined) void endProcesses({ leader: pid, startTime: since, mark, pipes: [] })
    }
    // Without the pipe it is of no use.
    ;(child.stdio[3] as Socket).once("close", end)
    const bound = loadBound(path, Math.round(2 * loadTimeout + startTime * busyFactor()))
    const load = async () => {
      const loaded = (await bound.wait(ask("load", { path, ...params() }, {}))) as Message
      if (this.sessionStart !== undefined) await bound.wait(ask("event", { event: this.sessionStart }, {}))
      return loaded
    }
    const running: Running = { ask, end, loaded: load() }
    running.loaded.catch(end)
    return running
  }

  private ended(how: string): Error {
    return new Error(`The process of ${this.options.path} has ended (${how}). The next call starts it again.`)
  }
}
