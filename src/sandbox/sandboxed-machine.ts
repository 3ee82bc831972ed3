/** A machine whose commands and file tools are held to some folders and domains, by the system that it runs on. */
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
  /** The machine to box in, which must be this one or another on it. Default: `localMachine`. */
  readonly machine?: Machine
}

/** A machine whose commands and file tools are held in a sandbox. */
export interface SandboxedMachine extends Machine, AsyncDisposable {
  /** The machine without its box: a call that asks for it is decided by a person. */
  readonly outside: Machine
  /** Ends the sandbox; after the executor. It holds the process up until then. */
  close(): Promise<void>
}

/**
 * A machine in a sandbox of `@anthropic-ai/sandbox-runtime`: bubblewrap on Linux, `sandbox-exec` on macOS. Commands read
 * everything but `denyRead`, write only in `write`, and reach only the domains of `network.allow`. What they leave
 * running ends with them. Rejects with a `SandboxError` where there can be no sandbox: nothing runs outside by itself.
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
