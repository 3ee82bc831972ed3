/** Processes in a box: each command is wrapped by the runtime and given bounds of its own. */
import { randomBytes } from "node:crypto"
import { isWithin } from "../io/is-within.ts"
import type { ProcessExit, Processes, ProcessOptions } from "../io/processes.ts"
import { type Disarmed, disarm, listOf, notesOf, protect } from "./disarm.ts"
import type { SandboxBounds } from "./sandbox-bounds.ts"
import type { SandboxManager } from "./sandbox-runtime.ts"

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** A path that is no pattern, whatever characters it has. */
const literal = (path: string) => ({ path, literal: true as const })

/** What the model is told of what the box has stopped. */
const noteOf = (denied: ReadonlyArray<string>, disarmed: Disarmed): string =>
  [...(denied.length > 0 ? [`Blocked: ${listOf(denied)}`] : []), ...notesOf(disarmed)]
    .map((line) => `[sandbox] ${line}\n`)
    .join("")

/**
 * Whether a line of the runtime tells of something that these bounds stop. It knows a command's domains, but judges all
 * paths as though no folder might be written.
 */
const isBlocked = (line: string, writable: ReadonlyArray<string>, closed: ReadonlyArray<string>): boolean => {
  const [, path] = /^\w+ (\/.*)$/.exec(line) ?? []
  if (path === undefined) return true
  const isOpen = writable.some((folder) => isWithin(folder, path))
  return !isOpen || closed.some((folder) => isWithin(folder, path))
}

export interface SandboxedProcessesOptions {
  readonly inner: Processes
  readonly manager: SandboxManager
  readonly bounds: SandboxBounds
  /** A folder for temporary files, which may be written. */
  readonly temporary: string
}

/** A command in its box, ready to be started. */
export interface BoxedCommand {
  readonly command: string
  readonly args: ReadonlyArray<string>
  /** What it may not write, though it lies where it may. */
  readonly protectedPaths: ReadonlyArray<string>
  /** To be called once after its end. Gives what the model is told of what was stopped. */
  end(): Promise<string>
}

/** Rejects where the box cannot be made; nothing has run then. */
export const boxCommand = async (
  { manager, bounds, temporary }: Omit<SandboxedProcessesOptions, "inner">,
  { command, args, signal }: ProcessOptions,
): Promise<BoxedCommand> => {
  signal?.throwIfAborted()
  // Binds the connections of this command to its domains, so nobody may guess it.
  const commandId = randomBytes(24).toString("base64url")
  const protection = await protect(bounds)
  const { paths } = protection
  const words = [command, ...args].map(quote).join(" ")
  const writable = [...bounds.write, temporary]
  const filesystem = {
    allowWrite: writable.map(literal),
    denyRead: bounds.denyRead.map(literal),
    denyWrite: paths.map(literal),
  }
  const end = async (): Promise<string> => {
    manager.unregisterCommandNetworkLists(commandId)
    manager.cleanupAfterCommand()
    const disarmed = await disarm(bounds.write, protection)
    // What the runtime was told of the command's last moments.
    await new Promise((resolve) => setImmediate(resolve))
    const seen = manager.getSandboxViolationStore().getViolationsForCommand(commandId)
    const denied = seen
      .map(({ line }) => line.replace(/^deny /, ""))
      .filter((line) => isBlocked(line, writable, paths))
    return noteOf(denied, disarmed)
  }
  manager.registerCommandNetworkLists(commandId, { allowedDomains: [...bounds.domains] })
  try {
    const line = await manager.wrapWithSandbox(
      `export TMPDIR=${quote(temporary)}; exec ${words}`,
      "bash",
      { filesystem },
      signal,
      { commandId, commandText: words },
    )
    return { command: "bash", args: ["-c", line], protectedPaths: paths, end }
  } catch (error) {
    manager.unregisterCommandNetworkLists(commandId)
    throw error
  }
}

/** They end when the command ends, whatever they left behind. Where the box cannot be made, nothing runs. */
export const sandboxedProcesses = ({ inner, ...box }: SandboxedProcessesOptions): Processes => {
  const run = async (options: ProcessOptions): Promise<ProcessExit> => {
    const { command, args, end } = await boxCommand(box, options)
    try {
      return await inner.run({ ...options, command, args })
    } finally {
      const note = await end()
      if (note !== "" && options.signal?.aborted !== true) await options.onOutput("stderr", Buffer.from(note))
    }
  }
  return { run }
}
