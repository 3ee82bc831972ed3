/** A process that was started with two pipes, and how one is started from here. */
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
  /** It leads a session and a group of its own. Undefined where it could not be started. */
  readonly pid: number | undefined
  /** Null where there was no descriptor left for a pipe. */
  readonly stdout: Socket | null
  readonly stderr: Socket | null
  /** Rejects where it could not be started, or where nobody can tell any more how it ended. */
  readonly exited: Promise<Exit>
}

/** The system copies this process's page tables for it: it takes the longer the more memory this process has. */
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
