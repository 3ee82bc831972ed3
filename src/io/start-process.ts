/** Starts a process in the cheaper of two ways: from here, or from a helper where this process has grown. */

import { canHaveSpawnHelper, SpawnHelper, SpawnHelperRefused } from "./spawn-helper.ts"
import { type ProcessSpec, type StartedProcess, startHere } from "./started-process.ts"
import { stayAlive } from "./stay-alive.ts"

/** `auto`: where this process has more than 120 MB in memory, from its fourth process on. */
export type SpawnHelperUse = "auto" | "always" | "never"

/** In bytes. The helper itself has about 50 MB, and asking it costs what a fork of some 40 MB more does. */
const largeProcess = 120_000_000
/** So many processes come before one that pays for a helper: who starts a few needs none. */
const fewProcesses = 3

let helper: UserHelper | undefined
let isUnavailable = false
let started = 0

/** Who this process is: it may become somebody else. */
const userNow = (): string => [process.geteuid?.(), process.getegid?.(), process.getgroups?.()].join()

/** A helper on its way, and then there. It remains who this process was when it was started. */
class UserHelper {
  readonly user = userNow()
  readonly starting: Promise<SpawnHelper | undefined>
  ready: SpawnHelper | undefined

  constructor() {
    const forget = () => {
      if (helper === this) helper = undefined
    }
    this.starting = SpawnHelper.start(forget).then(
      (ready) => {
        this.ready = ready
        return ready
      },
      () => {
        isUnavailable = true
        return undefined
      },
    )
  }
}

/** What another user's helper started would have that user's rights. */
const leaveOtherUser = (): void => {
  if (helper === undefined || helper.user === userNow()) return
  void helper.starting.then((left) => left?.endOnceIdle())
  helper = undefined
}

const helperFor = (use: SpawnHelperUse): SpawnHelper | undefined | Promise<SpawnHelper | undefined> => {
  if (use === "never" || isUnavailable || !canHaveSpawnHelper()) return undefined
  leaveOtherUser()
  if (helper?.ready !== undefined) return helper.ready
  const isDue = use === "always" || (++started > fewProcesses && process.memoryUsage.rss() > largeProcess)
  if (isDue) helper ??= new UserHelper()
  return use === "always" ? helper?.starting : undefined
}

/** What a helper is waited for with keeps no process; who waits for it does. */
const awaitHelper = async (
  ready: SpawnHelper | Promise<SpawnHelper | undefined>,
): Promise<SpawnHelper | undefined> => {
  const rest = stayAlive()
  try {
    return await ready
  } finally {
    rest()
  }
}

const startBeside = async (
  spec: ProcessSpec,
  ready: SpawnHelper | Promise<SpawnHelper | undefined>,
): Promise<StartedProcess> => {
  try {
    return (await (await awaitHelper(ready))?.start(spec)) ?? startHere(spec)
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
