/** Checks the access lists of many files at once, so that replacing them one by one does not start a program for each. */
import { lstat } from "node:fs/promises"
import { basename, dirname } from "node:path"
import { haveAccessList, isKnownPlain, rememberPlain } from "./access-lists.ts"
import { RealFolder } from "./real-folder.ts"

/** Files per program run: the command line has a limit. */
const batchSize = 500

const rememberPlainOnes = async (folder: RealFolder, names: ReadonlyArray<string>): Promise<void> => {
  const infos = await Promise.all(names.map((name) => lstat(folder.at(name), { bigint: true })))
  const unknown = infos.flatMap((info, index) => (isKnownPlain(info) ? [] : [{ info, name: names[index]! }]))
  // Include the folder, whose default list a new file would get.
  const asked = [".", ...unknown.map(({ name }) => name)]
  // If any of them has a list, each is checked when it is replaced.
  if (unknown.length < 2 || (await haveAccessList(folder, asked))) return
  for (const { info } of unknown) rememberPlain(info)
}

/** Never rejects: after a failure, each file is checked when it is replaced. */
export const prepareReplace = async (paths: ReadonlyArray<string>): Promise<void> => {
  const byFolder = new Map<string, Array<string>>()
  for (const path of paths) {
    const names = byFolder.get(dirname(path)) ?? []
    names.push(basename(path))
    byFolder.set(dirname(path), names)
  }
  for (const [path, names] of byFolder) {
    try {
      await RealFolder.use(path, async (folder) => {
        for (let at = 0; at < names.length; at += batchSize) {
          await rememberPlainOnes(folder, names.slice(at, at + batchSize))
        }
      })
    } catch {
      // Replacing the files will report the error.
    }
  }
}
