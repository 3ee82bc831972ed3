/** A process started with two pipes, and how to start one directly. */
import { spawn } from "node:child_process"
import type { Socket } from "node:net"

export interface ProcessSpec {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
}

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface StartedProcess {
  /** The process leads its own session and group. Undefined if it could not be started. */
  readonly pid: number | undefined
  /** Null if no descriptor was left for a pipe. */
  readonly stdout: Socket | null
  readonly stderr: Socket | null
  /** Rejects if the process could not be started, or its exit cannot be known. */
  readonly exited: Promise<Exit>
}

/** Starts a process from this one. The system copies the page tables, so the cost grows with this process's memory. */
export const startHere = ({ command, args, cwd, env }: ProcessSpec): StartedProcess => {
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] })
  const exited = new Promise<Exit>((resolve, reject) => {
    child.once("error", reject)
    child.once("exit", (code, signal) => resolve({ code, signal }))
  })
  return {
    pid: child.pid,
    stdout: child.stdout as Socket | null,
    stderr: child.stderr as Socket | null,
    exited,
  }
}
