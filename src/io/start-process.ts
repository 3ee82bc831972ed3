/** Starts a process in the cheaper of two ways: directly, or from a helper if this process is large. */

import { canHaveSpawnHelper, SpawnHelper, SpawnHelperRefused } from "./spawn-helper.ts"
import { type ProcessSpec, type StartedProcess, startHere } from "./started-process.ts"
import { stayAlive } from "./stay-alive.ts"

/** `auto`: if this process has more than 120 MB in memory, from its fourth start on. */
export type SpawnHelperUse = "auto" | "always" | "never"

/** In bytes. The helper itself has about 50 MB, and a request to it costs as much as a fork with 40 MB more. */
const largeProcess = 120_000_000
/** A process that starts only this many gets no helper. */
const fewProcesses = 3

let helper: UserHelper | undefined
let isUnavailable = false
let started = 0

/** The current user and groups of this process, which can change. */
const userNow = (): string => [process.geteuid?.(), process.getegid?.(), process.getgroups?.()].join()

/** A helper, starting or ready. It keeps the user that this process had when it was started. */
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

/** Retires a helper of another user: its processes would have that user's rights. */
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

/** Waits for a helper, and keeps this process alive meanwhile. */
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
 * Throws or rejects with Node's error, or its `exited` rejects, if the process cannot be started. A direct start is
 * synchronous.
 */
export const startProcess = (
  spec: ProcessSpec,
  use: SpawnHelperUse,
): StartedProcess | Promise<StartedProcess> => {
  const ready = helperFor(use)
  return ready === undefined ? startHere(spec) : startBeside(spec, ready)
}
