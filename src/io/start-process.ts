/** Starts a process in the cheaper of two ways: from here, or from a helper where this process has grown. */
import { canHaveSpawnHelper, SpawnHelper, SpawnHelperRefused } from "./spawn-helper.ts"
import { type ProcessSpec, type StartedProcess, startHere } from "./started-process.ts"

/** `auto`: where this process has more than 120 MB in memory, from its fourth process on. */
export type SpawnHelperUse = "auto" | "always" | "never"

/** In bytes. The helper itself has about 50 MB, and asking it costs what a fork of some 40 MB more does. */
const largeProcess = 120_000_000
/** So many processes come before one that pays for a helper: who starts a few needs none. */
const fewProcesses = 3

let helper: SpawnHelper | undefined
let starting: Promise<void> | undefined
let isUnavailable = false
let started = 0

const startHelper = (): Promise<void> => {
  starting ??= SpawnHelper.start(() => {
    helper = undefined
    starting = undefined
  }).then(
    (ready) => {
      helper = ready
    },
    () => {
      isUnavailable = true
    },
  )
  return starting
}

const helperFor = (use: SpawnHelperUse): SpawnHelper | undefined | Promise<SpawnHelper | undefined> => {
  if (use === "never" || isUnavailable || !canHaveSpawnHelper()) return undefined
  if (helper !== undefined) return helper
  if (use === "always") return startHelper().then(() => helper)
  if (++started > fewProcesses && process.memoryUsage.rss() > largeProcess) void startHelper()
  return undefined
}

const startBeside = async (
  spec: ProcessSpec,
  ready: SpawnHelper | Promise<SpawnHelper | undefined>,
): Promise<StartedProcess> => {
  try {
    return (await (await ready)?.start(spec)) ?? startHere(spec)
  } catch (cause) {
    if (!(cause instanceof SpawnHelperRefused)) throw cause
    isUnavailable = true
    return startHere(spec)
  }
}

/**
 * Throws or rejects, or its `exited` rejects, where it cannot be started: with Node's error. What is started from here is
 * started at once.
 */
export const startProcess = (
  spec: ProcessSpec,
  use: SpawnHelperUse,
): StartedProcess | Promise<StartedProcess> => {
  const ready = helperFor(use)
  return ready === undefined ? startHere(spec) : startBeside(spec, ready)
}
