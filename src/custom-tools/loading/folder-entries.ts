/** Reads folders and manifests that may not exist: what cannot be read counts as missing. */
import { readdir, stat } from "node:fs/promises"
import { join } from "node:path"
import { isPlainObject } from "../../schema/plain-object.ts"
import { readRegularSync } from "../../text/regular-file.ts"

export interface FolderEntry {
  readonly name: string
  readonly path: string
  readonly kind: "file" | "folder"
}

/** The kind of an entry. Links are followed. */
export const kindOf = (path: string): Promise<FolderEntry["kind"] | undefined> =>
  stat(path).then(
    (info) => (info.isDirectory() ? "folder" : info.isFile() ? "file" : undefined),
    () => undefined,
  )

export const isFile = async (path: string): Promise<boolean> => (await kindOf(path)) === "file"

/** The entries of a folder, sorted by name, without hidden entries and broken links. */
export const entriesOf = async (folder: string): Promise<Array<FolderEntry>> => {
  const names = await readdir(folder).catch(() => [])
  const shown = names.filter((name) => !name.startsWith(".")).sort()
  const kinds = await Promise.all(shown.map((name) => kindOf(join(folder, name))))
  return shown.flatMap((name, index) => {
    const kind = kinds[index]
    return kind === undefined ? [] : [{ name, path: join(folder, name), kind }]
  })
}

export type JsonObject = Readonly<Record<string, unknown>>

/** Reads a JSON object; returns an empty one if the file is missing or does not contain one. */
export const readJsonObject = (path: string): JsonObject => {
  try {
    const value: unknown = JSON.parse(readRegularSync(path).toString())
    return isPlainObject(value) ? value : {}
  } catch {
    return {}
  }
}
