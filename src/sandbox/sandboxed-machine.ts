/** A machine whose commands and file tools are restricted to some folders and domains by the operating system. */
import { mkdtemp, realpath, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { localMachine, type Machine } from "../io/machine.ts"
import type { ProcessOptions } from "../io/processes.ts"
import { reaper } from "../io/reaper.ts"
import { disarm, notesOf, protect } from "./disarm.ts"
import { boundsOf, type SandboxOptions } from "./sandbox-bounds.ts"
import { leaseRuntime } from "./sandbox-runtime.ts"
import { sandboxedFiles } from "./sandboxed-files.ts"
import { boxCommand, sandboxedProcesses } from "./sandboxed-processes.ts"
import { localStaging } from "./staging/local-staging.ts"

/** The options of `sandboxedMachine`. */
export interface SandboxedMachineOptions extends SandboxOptions {
  /** The machine to sandbox, which must be this one or another on it. Default: `localMachine`. */
  readonly machine?: Machine
}

/** A machine whose commands and file tools run in a sandbox. */
export interface SandboxedMachine extends Machine, AsyncDisposable {
  /** The machine without the sandbox: a person decides about a call that asks for it. */
  readonly outside: Machine
  /** Ends the sandbox. Call it after the executor's shutdown. The sandbox keeps the process alive until then. */
  close(): Promise<void>
}

/**
 * A machine in a sandbox of `@anthropic-ai/sandbox-runtime`: bubblewrap on Linux, `sandbox-exec` on macOS. Commands can read
 * everything except `denyRead`, write only in `write`, and reach only the domains of `network.allow`. Their background
 * processes end with them. Rejects with a `SandboxError` if no sandbox is possible: nothing falls back to running outside.
 *
 * @example
 * await using machine = await sandboxedMachine({ write: [cwd], network: { allow: ["example.com"] } })
 * const registry = new ToolRegistry(allTools(machine))
 */
export const sandboxedMachine = async (options: SandboxedMachineOptions = {}): Promise<SandboxedMachine> => {
  const outside = options.machine ?? localMachine
  const bounds = await boundsOf(options)
  const { manager, release } = await leaseRuntime()
  const temporary = await mkdtemp(join(await realpath(tmpdir()), "stepline-sandbox-"))
  reaper.removes(temporary)
  const close = async (): Promise<void> => {
    await release()
    await rm(temporary, { recursive: true, force: true })
  }
  const box = { manager, bounds, temporary }
  const watch = async <A>(work: () => Promise<A>, tell: (note: string) => void): Promise<A> => {
    const before = await protect({ write: bounds.write, denyWrite: [] })
    try {
      return await work()
    } finally {
      notesOf(await disarm(bounds.write, before)).forEach(tell)
    }
  }
  const wrap = (command: ProcessOptions) => boxCommand(box, command)
  return {
    ...outside,
    files: sandboxedFiles(outside.files, bounds),
    processes: sandboxedProcesses({ inner: outside.processes, ...box }),
    staging: localStaging({ processes: outside.processes, box: { wrap, watch } }),
    outside,
    close,
    [Symbol.asyncDispose]: close,
  }
}
