/** Runs command lines for `bash`; a tool may bring its own way, over SSH for example. */
import { constants } from "node:os"
import { localFiles } from "../../../io/files.ts"
import { localProcesses, type ProcessExit } from "../../../io/processes.ts"
import { longestTimer } from "../../../pipeline/schedule/longest-timer.ts"

export interface BashOperations {
  /**
   * Runs a command line to its end. `timeout` is in seconds. Rejects with an Error `aborted` or `timeout:<seconds>`
   * where the command was ended for that.
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

/** A signal counts as shells count it. */
const exitCodeOf = ({ code, signal }: ProcessExit): number | null =>
  code ?? (signal === null ? null : 128 + constants.signals[signal])

/**
 * Two pipes would not keep the order of what is written to them. A bash of its own, so that none of this shows in the
 * command's errors; the outer one reads no start-up file. A shell of another kind may not know how to say so.
 */
const onePipe = 'exec bash -c "$0" 2>&1'

/** bash on this machine. Ending a command ends all that it started. */
export const createLocalBashOperations = ({
  shellPath,
}: {
  readonly shellPath?: string
} = {}): BashOperations => ({
  exec: async (command, cwd, { onData, signal, timeout, env }) => {
    if ((await localFiles.stat(await localFiles.resolveLinks(cwd)))?.kind !== "directory") {
      throw new Error(`Working directory does not exist: ${cwd}\nCannot execute bash commands.`)
    }
    const throwIfAborted = () => {
      if (signal?.aborted === true) throw new Error("aborted")
    }
    throwIfAborted()
    const milliseconds = timeout === undefined || timeout <= 0 ? undefined : timeout * 1000
    const timeOver =
      milliseconds === undefined ? undefined : AbortSignal.timeout(Math.min(milliseconds, longestTimer))
    const exit = await localProcesses.run({
      command: shellPath ?? "bash",
      args: shellPath === undefined ? ["--posix", "-c", onePipe, command] : ["-c", command],
      cwd,
      signal: AbortSignal.any([signal, timeOver].filter((each) => each !== undefined)),
      // Its promise is awaited where the consumer gives one: then the command waits for a slow disk.
      onOutput: (_stream, bytes) => onData(bytes as Buffer),
      ...(env !== undefined && { env }),
    })
    throwIfAborted()
    if (timeOver?.aborted === true) throw new Error(`timeout:${timeout}`)
    return { exitCode: exitCodeOf(exit) }
  },
})
