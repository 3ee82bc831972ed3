/** The machine that the file tools and the shell work on. A remote host or a test can replace it. */
import type { EnvironmentRules } from "./environment.ts"
import { type Files, localFiles } from "./files.ts"
import { localProcesses, type Processes } from "./processes.ts"
import type { Staging } from "./staging.ts"

/** The files and processes that tools work on: this machine's, or others of the same shape. */
export interface Machine {
  readonly files: Files
  readonly processes: Processes
  /**
   * Which environment variables of the host shell commands get: `{ ...localMachine, env: { pass, set } }`. Default: all
   * whose names do not look like secrets.
   */
  readonly env?: EnvironmentRules
  /** Runs commands over a view of a folder, if supported: the shell then accepts `stage: true`. */
  readonly staging?: Staging
  /** The machine outside, if this one is a sandbox: the shell then accepts `unsandboxed: true`. */
  readonly outside?: Machine
}

/** The machine that this process runs on. */
export const localMachine: Machine = { files: localFiles, processes: localProcesses, env: {} }
