/** What the file tools and the shell run on. A remote host or a test brings its own. */
import { type Files, localFiles } from "./files.ts"
import { localProcesses, type Processes } from "./processes.ts"

export interface Machine {
  readonly files: Files
  readonly processes: Processes
}

/** The machine that this process runs on. */
export const localMachine: Machine = { files: localFiles, processes: localProcesses }
