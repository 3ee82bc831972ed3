/** What the file tools and the shell run on. A remote host or a test brings its own. */
import type { EnvironmentRules } from "./environment.ts"
import { type Files, localFiles } from "./files.ts"
import { localProcesses, type Processes } from "./processes.ts"
import type { Staging } from "./staging.ts"

/** The files and processes that tools work on: this machine's, or others of the same shape. */
export interface Machine {
  readonly files: Files
  readonly processes: Processes
  /**
   * Which variables of the host's environment commands of the shell get: `{ ...localMachine, env: { pass, set } }`.
   * Default: all whose names do not look like secrets.
   */
  readonly env?: EnvironmentRules
  /** Runs commands over a view of a folder, where it can: the shell then takes `stage: true`. */
  readonly staging?: Staging
  /** The machine around the sandbox that this one is: the shell then takes `unsandboxed: true`. */
  readonly outside?: Machine
}

/** The machine that this process runs on. */
export const localMachine: Machine = { files: localFiles, processes: localProcesses, env: {} }
