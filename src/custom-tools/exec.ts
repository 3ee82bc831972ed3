/** Runs a program for a foreign tool. */
export interface ExecOptions {
  readonly signal?: AbortSignal | undefined
  /** Milliseconds. Default: no limit. */
  readonly timeout?: number | undefined
  /** Default: the agent's working directory. */
  readonly cwd?: string | undefined
}

/** The result of a program that a tool ran with `exec`. */
export interface ExecResult {
  readonly stdout: string
  readonly stderr: string
  /** 127 for a program that does not exist. */
  readonly code: number
  /** Whether it was ended by an abort or by its time-out. */
  readonly killed: boolean
}

/** Runs a program without a shell, with an empty stdin. Never rejects because of how the program ended. */
export type Exec = (command: string, args: Array<string>, options?: ExecOptions) => Promise<ExecResult>
