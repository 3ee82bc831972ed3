/** Runs command lines for `bash`; a tool can provide its own implementation, for example over SSH. */
import { exitStatus } from "../../../io/exit-status.ts"
import { localProcesses } from "../../../io/processes.ts"
import { untilStopped } from "../../run-program.ts"
import { fileAt } from "./paths.ts"

export interface BashOperations {
  /**
   * Runs a command line to its end. `timeout` is in seconds. Rejects with an Error `aborted` or `timeout:<seconds>` if the
   * command was ended for that reason.
   */
  exec(
    command: string,
    cwd: string,
    options: {
      readonly onData: (data: Buffer) => void
      readonly signal?: AbortSignal
      readonly timeout?: number
      readonly env?: NodeJS.ProcessEnv
    },
  ): Promise<{ readonly exitCode: number | null }>
}

/**
 * Merges stderr into stdout, because two pipes would not keep the order of writes. The nested bash keeps this line out of
 * the command's errors; the outer one reads no start-up file. Other shells may not support this syntax.
 */
const onePipe = 'exec bash -c "$0" 2>&1'

/** Runs bash on this machine. Ending a command ends all processes that it started. */
export const createLocalBashOperations = ({
  shellPath,
}: {
  readonly shellPath?: string
} = {}): BashOperations => ({
  exec: async (command, cwd, { onData, signal, timeout, env }) => {
    if ((await fileAt(cwd)).info?.kind !== "directory") {
      throw new Error(`Working directory does not exist: ${cwd}\nCannot execute bash commands.`)
    }
    const throwIfAborted = () => {
      if (signal?.aborted === true) throw new Error("aborted")
    }
    throwIfAborted()
    const milliseconds = timeout === undefined || timeout <= 0 ? undefined : timeout * 1000
    return untilStopped(signal, milliseconds, async (stopped) => {
      const exit = await localProcesses.run({
        command: shellPath ?? "bash",
        args: shellPath === undefined ? ["--posix", "-c", onePipe, command] : ["-c", command],
        cwd,
        signal: stopped,
        // Returns the consumer's promise, if any: then the command waits for a slow disk.
        onOutput: (_stream, bytes) => onData(bytes as Buffer),
        ...(env !== undefined && { env }),
      })
      throwIfAborted()
      if (stopped.aborted) throw new Error(`timeout:${timeout}`)
      return { exitCode: exitStatus(exit) }
    })
  },
})
