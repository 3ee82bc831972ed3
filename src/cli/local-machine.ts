/** The machine of a command: this one, with staging, or a sandbox on it. */
import { localMachine, type Machine } from "../io/machine.ts"
import { UsageError } from "./usage-error.ts"

export interface MachineOptions {
  /** Restricts commands and file tools to the working directory. */
  readonly sandbox?: boolean
  /** The domains that they can reach from the sandbox. */
  readonly allowDomain?: ReadonlyArray<string>
}

export interface CommandMachine {
  readonly machine: Machine
  close(): Promise<void>
}

/** Overlays need Linux. Whether they work is checked when the first command is staged. */
const stagingHere = async (): Promise<Machine> => {
  if (process.platform !== "linux") return localMachine
  const { stagingMachine } = await import("../sandbox/staging-machine.ts")
  return stagingMachine(localMachine)
}

/** Rejects with a UsageError if no sandbox is possible: then nothing runs. */
export const commandMachine = async (options: MachineOptions, cwd: string): Promise<CommandMachine> => {
  const { sandbox, allowDomain } = options
  if (sandbox !== true) {
    if (allowDomain !== undefined)
      throw new UsageError("--allow-domain is for commands in a sandbox: add --sandbox")
    return { machine: await stagingHere(), close: async () => {} }
  }
  const { sandboxedMachine } = await import("../sandbox/sandboxed-machine.ts")
  const { SandboxError } = await import("../sandbox/sandbox-error.ts")
  try {
    const machine = await sandboxedMachine({
      cwd,
      machine: await stagingHere(),
      ...(allowDomain !== undefined && { network: { allow: allowDomain } }),
    })
    return { machine, close: () => machine.close() }
  } catch (error) {
    if (error instanceof SandboxError) throw new UsageError(error.message)
    throw error
  }
}
