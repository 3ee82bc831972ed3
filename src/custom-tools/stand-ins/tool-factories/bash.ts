/** pi's `bash`: runs a command line, and keeps the end of its output. A failure throws, with the output. */
import { Type } from "@sinclair/typebox"
import { commandBegins } from "../../../handlers/command-changes.ts"
import { environmentFor } from "../../../io/environment.ts"
import { localFiles } from "../../../io/files.ts"
import { currentCall } from "../../current-call.ts"
import type { AgentToolUpdateCallback } from "../../custom-tool.ts"
import { DEFAULT_MAX_BYTES, DEFAULT_MAX_LINES, formatSize, type TruncationResult } from "../truncation.ts"
import { type BashOperations, createLocalBashOperations } from "./bash-operations.ts"
import { type FactoryTool, textContent } from "./factory-tool.ts"
import { TailOutput } from "./tail-output.ts"

const parameters = Type.Object({
  command: Type.String({ description: "Command line for bash" }),
  timeout: Type.Optional(Type.Number({ description: "Seconds after which it is ended (default: none)" })),
})

export interface BashSpawnContext {
  readonly command: string
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
}

export interface BashToolOptions {
  /** Default: bash on this machine. */
  readonly operations?: BashOperations
  /** A line to run before each command, in the same shell. */
  readonly commandPrefix?: string
  /** Default: the `bash` of the PATH. */
  readonly shellPath?: string
  /** Changes the command, its folder and its environment. */
  readonly spawnHook?: (context: BashSpawnContext) => BashSpawnContext
}

export interface BashToolDetails {
  readonly truncation?: TruncationResult
  /** The file with the whole output. */
  readonly fullOutputPath?: string
}

/** Milliseconds between two updates. */
const updateInterval = 100

const detailsOf = (output: TailOutput): BashToolDetails | undefined => {
  const truncation = output.truncation()
  const { fullOutputPath } = output
  return truncation.truncated
    ? { truncation, ...(fullOutputPath !== undefined && { fullOutputPath }) }
    : undefined
}

/** The note about which part of the output is shown, and where the rest is. */
const noteOf = (output: TailOutput): string => {
  const { truncated, truncatedBy, totalLines, outputLines, outputBytes, lastLinePartial } =
    output.truncation()
  if (!truncated) return ""
  const { fullOutputPath, isFileCut } = output
  const kept = isFileCut ? "Output but for its middle" : "Full output"
  const whole = fullOutputPath === undefined ? "The rest is lost" : `${kept}: ${fullOutputPath}`
  if (lastLinePartial) {
    const sizes = `${formatSize(outputBytes)} of line ${totalLines} (line is ${formatSize(output.lastLineBytes)})`
    return `\n\n[Showing last ${sizes}. ${whole}]`
  }
  const limit = truncatedBy === "bytes" ? ` (${formatSize(DEFAULT_MAX_BYTES)} limit)` : ""
  return `\n\n[Showing lines ${totalLines - outputLines + 1}-${totalLines} of ${totalLines}${limit}. ${whole}]`
}

const withStatus = (text: string, status: string): string => (text === "" ? status : `${text}\n\n${status}`)

/** The error for the model about a command that was ended; returns other failures unchanged. */
const failureOf = (cause: unknown, text: string): unknown => {
  const message = cause instanceof Error ? cause.message : ""
  if (message === "aborted") return new Error(withStatus(text, "Command aborted"))
  const seconds = /^timeout:(.*)$/.exec(message)?.[1]
  return seconds === undefined
    ? cause
    : new Error(withStatus(text, `Command timed out after ${seconds} seconds`))
}

/** Updates the caller on request: at once after a pause, else when the interval is over. */
const makeUpdates = (
  output: TailOutput,
  onUpdate: AgentToolUpdateCallback<BashToolDetails | undefined> = () => undefined,
) => {
  let timer: NodeJS.Timeout | undefined
  let isDue = false
  const update = () => {
    isDue = false
    try {
      onUpdate({ content: textContent(output.truncation().content), details: detailsOf(output) })
    } catch {
      // A failing watcher must not end the command.
    }
  }
  const next = () => {
    timer = isDue ? setTimeout(next, updateInterval) : undefined
    if (isDue) update()
  }
  return {
    request: () => {
      isDue = true
      if (timer === undefined) next()
    },
    /** Updates the caller of the rest. */
    finish: () => {
      clearTimeout(timer)
      if (isDue) update()
    },
  }
}

/**
 * pi's `bash` for a working directory. Parameters: `command`, `timeout?` (seconds, default none). Returns stdout and stderr
 * as one text, its last 2000 lines or 50 KB; if it is longer, `details.fullOutputPath` names a file with all of it. Rejects,
 * with the output, if the exit code is not 0, the time is over or the call is aborted. The published tool reads two pipes,
 * and shows output in the order of reading; this one has one pipe, which keeps the order of writing.
 */
export const createBashTool = (
  cwd: string,
  options: BashToolOptions = {},
): FactoryTool<typeof parameters, BashToolDetails | undefined> => {
  const { commandPrefix, spawnHook = (context) => context } = options
  const operations = options.operations ?? createLocalBashOperations(options)
  return {
    name: "bash",
    label: "bash",
    description: `Run a command line in bash, in the working directory. Gives stdout and stderr, of which the last ${DEFAULT_MAX_LINES} lines or ${DEFAULT_MAX_BYTES / 1024}KB are kept, whichever is less; everything is then in a file that is named. timeout ends it after so many seconds.`,
    promptSnippet: "Run bash commands",
    parameters,
    execute: async (_toolCallId, params, signal, onUpdate) => {
      const { timeout } = params
      const command = commandPrefix === undefined ? params.command : `${commandPrefix}\n${params.command}`
      const spawn = spawnHook({ command, cwd, env: environmentFor() })
      const output = new TailOutput()
      const updates = makeUpdates(output, onUpdate)
      const onData = (data: Buffer) => {
        const written = output.write(data)
        updates.request()
        return written
      }
      const run = {
        onData,
        env: spawn.env,
        ...(signal && { signal }),
        ...(timeout !== undefined && { timeout }),
      }
      const execute = async (): Promise<number | null> => {
        try {
          const recorder = { changes: currentCall.getStore()?.changes }
          const compare = await commandBegins(recorder, localFiles, spawn.command)
          try {
            return (await operations.exec(spawn.command, spawn.cwd, run)).exitCode
          } finally {
            await compare?.()
          }
        } finally {
          await output.end()
          updates.finish()
        }
      }
      const exitCode = await execute().catch((cause: unknown) => {
        throw failureOf(cause, output.truncation().content + noteOf(output))
      })
      const text = (output.truncation().content || "(no output)") + noteOf(output)
      if (exitCode !== 0 && exitCode !== null) {
        throw new Error(withStatus(text, `Command exited with code ${exitCode}`))
      }
      return { content: textContent(text), details: detailsOf(output) }
    },
  }
}
