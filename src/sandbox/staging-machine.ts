/** A machine on which commands can be staged: run over a view of their folder, and applied or dropped later. */
import { localMachine, type Machine } from "../io/machine.ts"
import { localStaging } from "./staging/local-staging.ts"

/**
 * The machine with `staging`, so that its `shell` takes `stage: true`. It needs Linux with overlayfs in namespaces, and
 * `bwrap`; where it cannot be had, a staged call says so and runs nothing. A `sandboxedMachine` has it by itself.
 *
 * @example
 * const registry = new ToolRegistry(allTools(stagingMachine()))
 */
export const stagingMachine = (machine: Machine = localMachine): Machine => ({
  ...machine,
  staging: localStaging({ processes: machine.processes }),
})
