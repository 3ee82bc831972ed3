/** Processes in a sandbox: the runtime wraps each command with its own bounds. */
import { randomBytes } from "node:crypto"
import { isWithin } from "../io/is-within.ts"
import type { ProcessExit, Processes, ProcessOptions } from "../io/processes.ts"
import { type Disarmed, disarm, listOf, notesOf, protect } from "./disarm.ts"
import type { SandboxBounds } from "./sandbox-bounds.ts"
import type { SandboxManager } from "./sandbox-runtime.ts"

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** A literal path, not a pattern, whatever characters it has. */
const literal = (path: string) => ({ path, literal: true as const })

/** The note for the model about what the sandbox has stopped. */
const noteOf = (denied: ReadonlyArray<string>, disarmed: Disarmed): string =>
  [...(denied.length > 0 ? [`Blocked: ${listOf(denied)}`] : []), ...notesOf(disarmed)]
    .map((line) => `[sandbox] ${line}\n`)
    .join("")

/**
 * Whether a line of the runtime reports something that these bounds stop. The runtime knows a command's domains, but judges
 * all paths as if no folder were writable.
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
  /** A writable folder for temporary files. */
  readonly temporary: string
}

/** A command in its sandbox, ready to be started. */
export interface BoxedCommand {
  readonly command: string
  readonly args: ReadonlyArray<string>
  /** The write-protected paths inside writable folders. */
  readonly protectedPaths: ReadonlyArray<string>
  /** Call it once after the command's end. Resolves with the note for the model about what was stopped. */
  end(): Promise<string>
}

/** Rejects, and runs nothing, if the sandbox cannot be made. */
export const boxCommand = async (
  { manager, bounds, temporary }: Omit<SandboxedProcessesOptions, "inner">,
  { command, args, signal }: ProcessOptions,
): Promise<BoxedCommand> => {
  signal?.throwIfAborted()
  // Must be unguessable, because it binds the connections of this command to its domains.
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
    // Let the runtime process the command's last reports.
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

/** Wraps `inner`. Child processes end when their command ends. If the sandbox cannot be made, nothing runs. */
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
