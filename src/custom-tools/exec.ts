/** Runs a program for a foreign tool. */
export interface ExecOptions {
  readonly signal?: AbortSignal | undefined
  /** Milliseconds. Default: no limit. */
  readonly timeout?: number | undefined
  /** Default: the agent's working directory. */
  readonly cwd?: string | undefined
}

/** How a program ended that a tool ran with `exec`, and what it printed. */
export interface ExecResult {
  readonly stdout: string
  readonly stderr: string
  /** 127 for a program that is not there. */
  readonly code: number
  /** Whether it was ended by an abort or by its time-out. */
  readonly killed: boolean
}

/** No shell, nothing on stdin. Never rejects for how the program ended. */
export type Exec = (command: string, args: Array<string>, options?: ExecOptions) => Promise<ExecResult>
