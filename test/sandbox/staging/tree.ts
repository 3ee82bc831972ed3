/** A tree of files as it can be compared: kinds, modes, bytes, targets, and which names are one file. */
import { lstat, readdir, readFile, readlink } from "node:fs/promises"
import { join } from "node:path"

/** What git keeps of the times and inodes of files differs from run to run. */
const isOfTheRun = (path: string): boolean => /(^|\/)\.git\/index$/.test(path)

/** @param withLinks Whether to tell which names are one file. Default true. */
export const treeOf = async (root: string, withLinks = true): Promise<Record<string, string>> => {
  const tree: Record<string, string> = {}
  const firstNames = new Map<bigint, string>()
  const visit = async (path: string): Promise<void> => {
    const at = join(root, path)
    const info = await lstat(at, { bigint: true })
    const mode = (info.mode & 0o7777n).toString(8)
    const owner = `${info.uid}:${info.gid}`
    if (info.isSymbolicLink()) tree[path] = `link to ${await readlink(at)}`
    else if (info.isDirectory()) {
      tree[path] = `folder ${mode} ${owner}`
      for (const name of (await readdir(at)).sort()) await visit(path === "." ? name : `${path}/${name}`)
    } else if (info.isFile()) {
      const content = isOfTheRun(path) ? "" : (await readFile(at)).toString("base64")
      const first = firstNames.get(info.ino) ?? path
      firstNames.set(info.ino, first)
      tree[path] = `file ${mode} ${owner} ${content}${first === path || !withLinks ? "" : ` = ${first}`}`
    } else tree[path] = `other ${mode}`
  }
  await visit(".")
  return tree
}
