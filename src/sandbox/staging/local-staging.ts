/** Staged commands on this machine: an overlay over the folder, in the command's own namespaces. */
import { access, lstat, mkdir, mkdtemp, readFile, realpath, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { isWithin } from "../../io/is-within.ts"
import type { Processes, ProcessOptions } from "../../io/processes.ts"
import { type Applying, expectAsSeen } from "../../io/staging/apply-changes.ts"
import type { Change, ChangeSet } from "../../io/staging/change.ts"
import { contentOf, shownOf } from "../../io/staging/shown-changes.ts"
import {
  applyStage,
  expectStage,
  makeStage,
  recoverStages,
  removeStage,
  rootsFor,
  stagedIn,
  writeManifest,
} from "../../io/staging/stage-folders.ts"
import { StagingError } from "../../io/staging/staging-error.ts"
import type { StagedRun, Staging } from "../../io/staging.ts"
import type { BoxedCommand } from "../sandboxed-processes.ts"
import { readChanges } from "./change-set.ts"
import { parseListing } from "./listing.ts"
import { keepInside } from "./outside-names.ts"
import { canKeepLinks, overlayCommand } from "./overlay-command.ts"

/** The sandbox of a staged command, if there is one. */
export interface StagedBox {
  /** Puts a command into the sandbox. */
  wrap(options: ProcessOptions): Promise<BoxedCommand>
  /** Runs `work` and checks what it has written; calls `tell` for each finding, one sentence each. */
  watch<A>(work: () => Promise<A>, tell: (note: string) => void): Promise<A>
}

export interface LocalStagingOptions {
  readonly processes: Processes
  readonly box?: StagedBox
}

const notesOf = ({ changes, leftOut, parted = [] }: ChangeSet, isBoxed: boolean): Array<string> => {
  const notes: Array<string> = []
  if (leftOut.length > 0) {
    notes.push(
      `Not staged, and not applied: pipes, sockets, devices and names that are no text (${leftOut.slice(0, 10).join(", ")}).`,
    )
  }
  if (parted.length > 0) {
    notes.push(
      `Names of these files outside of the folder (hard links), and those that the command did not touch, keep the former content: ${parted.slice(0, 10).join(", ")}.`,
    )
  }
  const stale = changes.filter(({ isStale }) => isStale === true).map(({ path }) => path)
  if (stale.length > 0) {
    notes.push(
      `Changed by somebody else, or through another name, while the command ran, so that this cannot be applied: ${stale.slice(0, 10).join(", ")}.`,
    )
  }
  if (!isBoxed)
    notes.push("Not staged: what the command did over the network. Processes that it left have been ended.")
  return notes
}

/** Whether a change is only a mount point that the sandbox created. */
const isOfBox = (
  { path, before, after }: Change,
  folder: string,
  protectedPaths: ReadonlyArray<string>,
): boolean => {
  const at = join(folder, path)
  const isOnTheWay = before === undefined && after?.kind === "folder"
  return protectedPaths.some((own) => isWithin(own, at) || (isOnTheWay && isWithin(at, own)))
}

const cannot = (why: string): StagingError =>
  new StagingError(
    `The command cannot be staged here, and did not run: ${why.replace(/\.+$/, "")}. Call it without \`stage\`: it is then asked about as usual.`,
  )

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

class LocalStaging implements Staging {
  private readonly processes: Processes
  private readonly box: StagedBox | undefined
  /** The root that worked for an earlier overlay. */
  private root: Promise<string> | undefined
  private recovered: Promise<unknown> | undefined

  constructor({ processes, box }: LocalStagingOptions) {
    this.processes = processes
    this.box = box
  }

  async run({ folder: named, ...options }: ProcessOptions & { readonly folder: string }): Promise<StagedRun> {
    const folder = await realpath(named)
    const cwd = await realpath(options.cwd)
    if (options.isCwdReal === true && cwd !== options.cwd)
      throw cannot(`${options.cwd} was moved, or replaced by a link`)
    if (!isWithin(folder, cwd))
      throw cannot(`it would run in ${options.cwd}, which is not inside of ${named}`)
    this.recovered ??= recoverStages().catch(() => {})
    await this.recovered
    const stage = await makeStage(await this.rootFor(folder), folder)
    try {
      return await this.runIn(stage, folder, { ...options, cwd })
    } catch (error) {
      await removeStage(stage)
      throw error
    }
  }

  async apply(id: string, tell: (note: string) => void = () => {}): Promise<number> {
    const work = () => applyStage(id, (applying: Applying) => expectAsSeen(applying))
    const { changes } = await (this.box === undefined ? work() : this.box.watch(work, tell))
    return shownOf(changes).length
  }

  async paths(id: string): Promise<ReadonlyArray<string>> {
    const { folder, changes } = await stagedIn(id)
    return changes.map(({ path }) => join(folder, path))
  }

  async discard(id: string): Promise<void> {
    const isOwn = await expectStage(id).then(
      () => true,
      () => false,
    )
    if (isOwn) await removeStage(id)
  }

  private async runIn(stage: string, folder: string, options: ProcessOptions): Promise<StagedRun> {
    const startedAt = Date.now() + 1
    const inner = await this.box?.wrap(options)
    const { command, args } = inner ?? options
    const overlay = overlayCommand({
      stage,
      folder,
      cwd: options.cwd,
      command,
      args,
      isBoxed: inner !== undefined,
    })
    let note = ""
    const exit = await this.processes.run({ ...options, ...overlay }).finally(async () => {
      note = (await inner?.end()) ?? ""
    })
    if (note !== "" && options.signal?.aborted !== true) await options.onOutput("stderr", Buffer.from(note))
    options.signal?.throwIfAborted()
    if (!(await isThere(join(stage, "mounted")))) throw cannot("the overlay could not be mounted")
    const seen = await readFile(join(stage, "seen"), "utf8").catch(() => "")
    if (!seen.endsWith("end"))
      throw new StagingError("What the command changed cannot be read. Nothing is changed.")
    const upper = join(stage, "upper")
    const [above, below] = await Promise.all([lstat(upper), lstat(folder)])
    const keepsLinks = canKeepLinks && above.dev === below.dev
    const listing = parseListing(seen)
    const read = await readChanges({ lower: folder, upper, seen: listing, keepsLinks, startedAt })
    const found = await keepInside(folder, read)
    const isOwn = (change: Change) => inner !== undefined && isOfBox(change, folder, inner.protectedPaths)
    const set = { ...found, changes: found.changes.filter((change) => !isOwn(change)) }
    await writeManifest(stage, { folder, changes: set.changes })
    return {
      ...exit,
      id: stage,
      changes: shownOf(set.changes),
      notes: notesOf(set, this.box !== undefined),
      content: (change, maxBytes) => contentOf(folder, upper, change, maxBytes),
    }
  }

  /** The first root that can hold the upper layer of an overlay over the folder. */
  private async rootFor(folder: string): Promise<string> {
    const known = await this.root?.catch(() => undefined)
    if (known !== undefined && !isWithin(folder, known)) return known
    this.root = this.findRoot(folder)
    return this.root
  }

  private async findRoot(folder: string): Promise<string> {
    if (process.platform !== "linux") throw cannot("that needs Linux")
    let said = "no folder can hold the changes"
    for (const root of await rootsFor(folder)) {
      const failure = await this.tryIn(root)
      if (failure === undefined) return root
      said = failure
    }
    throw cannot(said)
  }

  /** Tries a real overlay over a temporary folder. Resolves with the error if it cannot be mounted. */
  private async tryIn(root: string): Promise<string | undefined> {
    const folder = await mkdtemp(join(await realpath(tmpdir()), "stepline-probe-"))
    const stage = await makeStage(root, folder)
    let said = ""
    try {
      await mkdir(join(folder, "gone"))
      const overlay = overlayCommand({
        stage,
        folder,
        cwd: folder,
        command: "rmdir",
        args: ["gone"],
        isBoxed: false,
      })
      const { code } = await this.processes.run({
        ...overlay,
        cwd: folder,
        onOutput: async (_stream, bytes) => {
          said += Buffer.from(bytes).toString()
        },
      })
      return code === 0 ? undefined : (said.trim().split("\n")[0] ?? "") || `the probe ended with ${code}`
    } catch (cause) {
      const { code, message } = cause as NodeJS.ErrnoException
      return code === "ENOENT" ? "unshare of util-linux is not installed" : message
    } finally {
      await removeStage(stage)
      await rm(folder, { recursive: true, force: true })
    }
  }
}

/** Whether overlays work is checked when the first command is staged. */
export const localStaging = (options: LocalStagingOptions): Staging => new LocalStaging(options)
