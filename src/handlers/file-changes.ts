/** Records the changes that handlers make to files, and undoes them, if the machine's files have a history. */
import { isAbsolute, join, relative, resolve } from "node:path"
import { inTurns } from "../io/file-turns.ts"
import { type Files, localFiles } from "../io/files.ts"
import { type LoggedPath, loggedChanges } from "../io/history/change-log.ts"
import type { FileHistory, Look, StagedPutBack } from "../io/history/file-history.ts"
import { hashOfBytes } from "../io/history/kept-content.ts"
import { isSame, type PathState, type Seen } from "../io/history/path-state.ts"
import { ToolError } from "../model/step.ts"
import type {
  ChangeKeeper,
  ChangeRecorder,
  ChangingCall,
  EarlierChanges,
  KeptChange,
  LeftChange,
  PathChange,
  PlanOptions,
  UndoPlan,
} from "../undo/changes.ts"
import type { UndoBounds } from "../undo/undo-options.ts"
import { mergeBack } from "./merge-back.ts"
import { previewOf } from "./staged-preview.ts"

/** The recorded states of a changed path. */
interface Kept {
  readonly before: PathState
  readonly after: PathState
}

const kindOf = ({ kind }: PathState): PathChange["kind"] =>
  kind === "folder" || kind === "link" ? kind : "file"

const whatOf = ({ before, after }: Kept): PathChange["what"] => {
  if (before.kind === "nothing") return "created"
  if (after.kind === "nothing") return "deleted"
  const isContent =
    before.kind !== after.kind ||
    (before.kind === "file" && after.kind === "file" && before.hash !== after.hash)
  return isContent || before.kind === "link" ? "changed" : "mode"
}

export const changeOf = (path: string, kept: Kept): KeptChange => {
  const { before, after } = kept
  return { path, what: whatOf(kept), kind: kindOf(after.kind === "nothing" ? before : after), kept }
}

/** The plan for one path: its changes are undone from the latest on, as long as each left the then present state. */
interface Way {
  readonly now: Seen
  to: PathState
  why: string | undefined
}

const hasOtherNames = (state: PathState): boolean => state.kind === "file" && state.hasOtherNames === true

/** Removes the hard-link flag, which may no longer be true. */
const ofItsOwn = (state: PathState): PathState => {
  if (state.kind !== "file") return state
  const { hasOtherNames: _, ...own } = state
  return own
}

const somebodyElse = "somebody else has changed it since"

/** The largest file that is merged, in bytes. */
const maxMergedBytes = 1_000_000

/** Returns the state of a file that somebody else has changed too; undefined if it cannot be merged. */
type Merge = (now: PathState, kept: Kept) => Promise<PathState | undefined>

const waysOf = async (
  changes: ReadonlyArray<KeptChange>,
  seen: ReadonlyArray<Seen>,
  merge: Merge,
): Promise<Array<Way>> => {
  const ways = new Map<string, Way>(
    seen.map((now) => [now.path, { now, to: now.state, why: undefined }] as const),
  )
  for (const { path, kept } of changes) {
    const way = ways.get(path)!
    if (way.why !== undefined) continue
    const { before, after } = kept as Kept
    if (isSame(way.to, after)) way.to = hasOtherNames(after) ? before : ofItsOwn(before)
    else {
      const merged = await merge(way.to, kept as Kept)
      if (merged === undefined) way.why = somebodyElse
      else way.to = merged
    }
  }
  return [...ways.values()]
}

/** Finds the contents by their hashes: `look` has stored the present one. */
const merging =
  (history: FileHistory, bounds: UndoBounds): Merge =>
  async (now, { before, after }) => {
    if (now.kind !== "file" || before.kind !== "file" || after.kind !== "file") return undefined
    const [current, from, to] = await Promise.all(
      [now, after, before].map(({ hash }) => history.kept(hash, maxMergedBytes)),
    )
    if (current === undefined || from === undefined || to === undefined) return undefined
    const merged = await mergeBack(current, from, to)
    return merged && { ...now, hash: await history.keep(merged, bounds) }
  }

const notMerging: Merge = async () => undefined

/** A path as shown to people: relative to the working directory, if it is inside. */
const shownPath = (cwd: string, path: string): string => {
  const way = relative(cwd, path)
  return way === "" || way.startsWith("..") || isAbsolute(way) ? path : way
}

const asToolError = (cause: unknown): unknown =>
  cause instanceof Error && cause.name === "StagingError" ? new ToolError(cause.message, { cause }) : cause

class FileKeeper implements ChangeKeeper {
  private readonly history: FileHistory

  constructor(history: FileHistory) {
    this.history = history
  }

  async plan(changes: ReadonlyArray<KeptChange>, { cwd, merge, bounds }: PlanOptions): Promise<UndoPlan> {
    const paths = new Set(changes.map(({ path }) => path).sort())
    const looks = [...paths].map((path) => ({ path }))
    const seen = await this.history.look(looks, merge ? bounds : undefined)
    const ways = await waysOf(
      changes,
      seen.filter(({ path }) => paths.has(path)),
      merge ? merging(this.history, bounds) : notMerging,
    )
    const staged = await this.history
      .stage(ways.filter(({ now, to }) => !isSame(now.state, to)).map(({ now, to }) => ({ from: now, to })))
      .catch((cause: unknown) => {
        throw asToolError(cause)
      })
    const left = ways.flatMap(({ now, why }) => (why === undefined ? [] : [{ path: now.path, why }]))
    return this.planOf(staged, left, cwd)
  }

  async apply({ id, changes }: UndoPlan, recorder: ChangeRecorder): Promise<void> {
    const paths = changes.map(({ path }) => ({ path }))
    const work = () =>
      this.history.apply(id!).catch((cause: unknown) => {
        throw asToolError(cause)
      })
    // No edit in this process may come in between.
    await inTurns(
      paths.map(({ path }) => path),
      () => recording(this, this.history, recorder, paths, work),
    )
  }

  async discard({ id }: UndoPlan): Promise<void> {
    if (id !== undefined) await this.history.discard(id)
  }

  private async planOf(
    staged: StagedPutBack,
    left: ReadonlyArray<LeftChange>,
    cwd: string,
  ): Promise<UndoPlan> {
    const { id, changes, content } = staged
    const isEmpty = changes.length === 0
    if (isEmpty) await this.history.discard(id)
    const named = new Map(changes.map((change) => [shownPath(cwd, join("/", change.path)), change]))
    const shown = [...named].map(([path, change]) => ({ ...change, path }))
    const preview = await previewOf({
      changes: shown,
      content: ({ path }, maxBytes) => content(named.get(path)!, maxBytes),
    })
    return {
      id: isEmpty ? undefined : id,
      changes: changes.map(({ path, what, kind }) => ({ path: join("/", path), what, kind })),
      left: [...left, ...staged.left].map(({ path, why }) => ({ path: shownPath(cwd, path), why })),
      preview,
    }
  }
}

const keepers = new WeakMap<FileHistory, FileKeeper>()

export const keeperOf = (history: FileHistory): FileKeeper => {
  const keeper = keepers.get(history) ?? new FileKeeper(history)
  keepers.set(history, keeper)
  return keeper
}

/** A path that is about to change, and its contents as far as they are known. */
export interface ChangedPath {
  readonly path: string
  readonly before?: Uint8Array | "nothing"
  readonly after?: Uint8Array
}

/** Resolves with undefined if a path cannot be read: the work is done anyway. */
const tryLook = (
  history: FileHistory,
  paths: ReadonlyArray<Look>,
  bounds?: ChangeRecorder["bounds"],
): Promise<ReadonlyArray<Seen> | undefined> => history.look(paths, bounds).catch(() => undefined)

const lookOf = (path: string, known: Look["known"]): Look => ({ path, ...(known !== undefined && { known }) })

/** Throws a ToolError if a path could not be taken back and the host requires that. */
const expectKept = (paths: ReadonlyArray<ChangedPath>, before: ReadonlyArray<Seen> | undefined): void => {
  const why = ({ path }: ChangedPath): string | undefined => {
    if (before === undefined) return "cannot be read"
    const state = before.find((seen) => seen.path === path)?.state
    return state?.kind === "file" ? state.lost : undefined
  }
  for (const each of paths) {
    const fault = why(each)
    if (fault !== undefined)
      throw new ToolError(`${each.path} was not changed: its content ${fault}, so it could not be taken back`)
  }
}

const recording = async <A>(
  keeper: FileKeeper,
  history: FileHistory,
  recorder: ChangeRecorder,
  paths: ReadonlyArray<ChangedPath>,
  work: () => Promise<A>,
): Promise<A> => {
  const looks = paths.map(({ path, before }) => lookOf(path, before))
  // Hashed while the disk answers.
  const looking = tryLook(history, looks, recorder.bounds)
  const hashes = new Map(
    paths.flatMap(({ path, after }) => (after === undefined ? [] : [[path, hashOfBytes(after)]])),
  )
  const before = await looking
  if (recorder.bounds.required === true) expectKept(paths, before)
  const log = await history.log?.(recorder.bounds)
  const id =
    before &&
    log?.begins(
      recorder.call,
      before.map(({ path, state }) => {
        const expected = hashes.get(path)
        return { path, before: state, ...(expected !== undefined && { expected }) }
      }),
    )
  const end = (changes: ReadonlyArray<KeptChange>) => {
    if (id === undefined) return
    log?.ends(
      id,
      changes.map(({ path, kept }) => ({ path, ...(kept as Kept) })),
    )
  }
  const result = await work().catch((cause: unknown) => {
    end([])
    throw cause
  })
  const names = before?.map(({ path }): Look => {
    const hash = hashes.get(path)
    return { ...lookOf(path, hash === undefined ? undefined : { hash }), isAlone: true }
  })
  const after = names && (await tryLook(history, names))
  if (before === undefined || after === undefined) {
    for (const { path } of paths)
      mayChange({ changes: recorder }, history, `the write of ${path}, which cannot be read,`)
    return result
  }
  const left = new Map(after.map((seen) => [seen.path, seen.state]))
  const changes = before.flatMap(({ path, state }) => {
    const now = left.get(path)!
    return isSame(state, now) ? [] : [changeOf(path, { before: state, after: now })]
  })
  end(changes)
  // A merge needs the content that an edit left. Not awaited.
  for (const { before: former, after } of paths) {
    if (former instanceof Uint8Array && after !== undefined && after.length <= maxMergedBytes)
      history.keep(after, recorder.bounds).catch(() => {})
  }
  recorder.add(keeper, changes)
  return result
}

/** Records that a call may have made changes that are unknown. */
export const mayChange = (
  { changes: recorder }: { readonly changes: ChangeRecorder | undefined },
  history: FileHistory | undefined,
  what: string,
): void => {
  if (recorder === undefined) return
  recorder.unknown(what)
  const { call, bounds } = recorder
  void history?.log?.(bounds).then((log) => log?.unknown(call, what))
}

/**
 * Runs `work`, which changes these paths, and records the changes if it succeeds. Paths are absolute, with links resolved. Work that fails
 * must not have changed anything.
 */
export const changing = async <A>(
  { changes: recorder }: { readonly changes: ChangeRecorder | undefined },
  { history }: Files,
  paths: ReadonlyArray<ChangedPath>,
  work: () => Promise<A>,
): Promise<A> => {
  if (recorder === undefined) return work()
  if (history !== undefined) return recording(keeperOf(history), history, recorder, paths, work)
  if (recorder.bounds.required === true) expectKept(paths, undefined)
  const result = await work()
  for (const { path } of paths)
    mayChange({ changes: recorder }, undefined, `the machine of ${path}, which remembers nothing,`)
  return result
}

/** The changes of a write during which its process died: the present states show whether they were made. */
const cutOff = async (history: FileHistory, paths: ReadonlyArray<LoggedPath>) => {
  const seen = await history.look(paths.map(({ path }) => ({ path })))
  const now = new Map(seen.map(({ path, state }) => [path, state]))
  const changes: Array<KeptChange> = []
  const unknown: Array<string> = []
  for (const { path, before, expected } of paths) {
    const after = now.get(path)!
    if (isSame(before, after)) continue
    const isMade = after.kind === "folder" || (after.kind === "file" && after.hash === expected)
    if (isMade) changes.push(changeOf(path, { before, after }))
    else unknown.push(`the write of ${path}, during which the process ended,`)
  }
  return { changes, unknown }
}

/**
 * Returns the changes so far by executors with this working directory, also in other processes, for
 * `executor.restoreChanges`. Their call ids begin with the process: `<process>:<call id>`.
 */
export const recordedChanges = async (
  { cwd }: { readonly cwd: string },
  { history }: Files = localFiles,
): Promise<Array<EarlierChanges>> => {
  if (history === undefined) return []
  const keeper = keeperOf(history)
  const calls = new Map<string, { -readonly [K in keyof EarlierChanges]: EarlierChanges[K] }>()
  for (const { session, at, origin, paths, unknown, isCutOff } of await loggedChanges(resolve(cwd))) {
    const { cwd: _, ...call } = origin as ChangingCall
    const named = (id: string) => (/^\d+-\d*-[0-9a-f]{8}:/.test(id) ? id : `${session}:${id}`)
    const made = isCutOff
      ? await cutOff(history, paths)
      : {
          changes: paths.map(({ path, before, after }) => changeOf(path, { before, after: after! })),
          unknown: unknown === undefined ? [] : [unknown],
        }
    const key = `${session} ${call.callId} ${call.appliedBy}`
    const known = calls.get(key)
    calls.set(key, {
      ...call,
      callId: named(call.callId),
      appliedBy: named(call.appliedBy),
      ...(call.undoes && { undoes: call.undoes.map(named) }),
      at: known?.at ?? at,
      keeper,
      changes: [...(known?.changes ?? []), ...made.changes],
      unknown: [...(known?.unknown ?? []), ...made.unknown],
    })
  }
  return [...calls.values()].filter(({ changes, unknown }) => changes.length > 0 || unknown.length > 0)
}
