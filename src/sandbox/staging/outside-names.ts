/**
 * Files that also have names outside of the folder (hard links). Writing them in place would change what nobody was shown:
 * such a file is replaced, and its other names keep the old content.
 */
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import type { Change, ChangeSet } from "../../io/staging/change.ts"
import { kindOf, statOf } from "../../io/staging/fingerprint.ts"

const isInPlace = ({ after }: Change): boolean => after?.kind === "file" && after.inPlace === true

const identityOf = ({ dev, ino }: { readonly dev: bigint; readonly ino: bigint }): string => `${dev}:${ino}`

/** Counts the names of some files in a folder and below. Names in an unreadable folder do not count. */
const countNames = async (folder: string, counts: Map<string, number>): Promise<void> => {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  await Promise.all(
    entries.map(async (entry) => {
      if (!entry.isFile()) return
      const info = await statOf(join(folder, entry.name))
      const known = info && counts.get(identityOf(info))
      if (info !== undefined && known !== undefined) counts.set(identityOf(info), known + 1)
    }),
  )
  for (const entry of entries) if (entry.isDirectory()) await countNames(join(folder, entry.name), counts)
}

const withoutInPlace = (change: Change): Change => {
  if (change.after?.kind !== "file") return change
  const { inPlace, ...after } = change.after
  return { ...change, after }
}

/** Returns the changes without writes that would reach outside of the folder. */
export const keepInside = async (folder: string, set: ChangeSet): Promise<ChangeSet> => {
  const written = set.changes.filter(isInPlace)
  if (written.length === 0) return set
  const infos = await Promise.all(written.map(({ path }) => statOf(join(folder, path))))
  const files = infos.filter((info) => info !== undefined && kindOf(info) === "file")
  const counts = new Map(files.map((info) => [identityOf(info!), 0]))
  await countNames(folder, counts)
  const leading = new Set(
    written.flatMap(({ path }, index) => {
      const info = infos[index]
      return info !== undefined && info.nlink > BigInt(counts.get(identityOf(info)) ?? 0) ? [path] : []
    }),
  )
  const changes = set.changes.map((change) => (leading.has(change.path) ? withoutInPlace(change) : change))
  return { ...set, changes, parted: [...leading] }
}
