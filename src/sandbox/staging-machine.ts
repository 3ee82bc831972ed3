/** A machine that can stage commands: run them over a view of their folder, and apply or discard the changes later. */
import { localMachine, type Machine } from "../io/machine.ts"
import { localStaging } from "./staging/local-staging.ts"

/**
 * Returns the machine with `staging`, so that its `shell` accepts `stage: true`. Needs Linux with overlayfs in namespaces,
 * and `bwrap`; otherwise a staged call reports that and runs nothing. A `sandboxedMachine` already has it.
 *
 * @example
 * const registry = new ToolRegistry(allTools(stagingMachine()))
 */
export const stagingMachine = (machine: Machine = localMachine): Machine => ({
  ...machine,
  staging: localStaging({ processes: machine.processes }),
})
