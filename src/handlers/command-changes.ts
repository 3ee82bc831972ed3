/**
 * Records that a command may change files and, with the executor's `undo: { watch: true }`, finds its changes in the working
 * directory.
 */
import type { Files } from "../io/files.ts"
import type { Listed } from "../io/history/listing.ts"
import type { PathState } from "../io/history/path-state.ts"
import { shortened } from "../text/truncation.ts"
import type { ChangeRecorder } from "../undo/changes.ts"
import { changeOf, keeperOf, mayChange } from "./file-changes.ts"

/** How much of a command is shown in messages. */
const maxNamedBytes = 200

/** Above these limits, changes are not recorded: each changed file is read once. */
const maxChanged = 1000
const maxReadBytes = 100_000_000

type Listing = ReadonlyMap<string, Listed>

const nothing: PathState = { kind: "nothing" }

/** Paths whose content, mode or kind differs. */
const changedPaths = (before: Listing, after: Listing): Array<string> => {
  const differs = (one: Listed, other: Listed): boolean =>
    one.print !== other.print ||
    ("mode" in one.state && "mode" in other.state && one.state.mode !== other.state.mode)
  const changed = [...after].filter(([path, now]) => {
    const then = before.get(path)
    return then === undefined || differs(then, now)
  })
  return [...changed.map(([path]) => path), ...[...before.keys()].filter((path) => !after.has(path))]
}

/** The former state of a path. The content of a file is known only if it has not changed. */
const stateBefore = (then: Listed | undefined, now: Listed | undefined, after: PathState): PathState => {
  if (then === undefined) return nothing
  const isSameContent = then.print === now?.print && then.state.kind === "file" && after.kind === "file"
  if (!isSameContent) return then.state
  const { lost: _, ...state } = then.state as Extract<PathState, { kind: "file" }>
  return { ...state, hash: after.hash }
}

/**
 * Records that a command may make unknown changes. If the executor watches commands, resolves with a function that records
 * the changes in the executor's working directory, to be called once the command has ended; otherwise with undefined.
 */
export const commandBegins = (
  { changes: recorder }: { readonly changes: ChangeRecorder | undefined },
  { history, resolveLinks }: Files,
  command: string,
): Promise<() => Promise<void>> | undefined => {
  const name = `the command \`${shortened(command, maxNamedBytes)}\``
  const unknown = (more = "") => mayChange({ changes: recorder }, history, name + more)
  unknown()
  if (recorder?.bounds.watch !== true || history?.list === undefined) return undefined
  const { list, look, log } = history
  const compare = async (folder: string, before: Listing | undefined): Promise<void> => {
    const after = before && (await list(folder))
    if (after === undefined) return unknown(` in ${folder}, which has too many files to watch,`)
    const paths = changedPaths(before!, after)
    if (paths.length === 0) return
    const bytes = paths.reduce((sum, path) => sum + (after.get(path)?.size ?? 0), 0)
    if (paths.length > maxChanged || bytes > maxReadBytes)
      return unknown(` with its ${paths.length} changed paths of ${bytes} bytes`)
    // This also stores the contents, for files where only the mode has changed.
    const looked = await look(
      paths.map((path) => ({ path })),
      recorder.bounds,
    )
    const seen = new Map(looked.map(({ path, state }) => [path, state]))
    const kept = paths.map((path) => {
      const now = seen.get(path) ?? nothing
      return { path, before: stateBefore(before!.get(path), after.get(path), now), after: now }
    })
    const opened = await log?.(recorder.bounds)
    opened?.ends(opened.begins(recorder.call, []), kept)
    recorder.add(
      keeperOf(history),
      kept.map(({ path, ...states }) => changeOf(path, states)),
    )
  }
  // A folder that cannot be listed does not prevent the command.
  return resolveLinks(recorder.call.cwd).then(
    async (folder) => {
      const before = await list(folder)
      return () => compare(folder, before).catch(() => {})
    },
    () => async () => {},
  )
}
