/** The names in the folders that a command wrote to, as the command saw them: a missing name was deleted. */

/** What the command saw in each folder that it wrote to: names with their inodes. */
export type Listing = ReadonlyMap<string, ReadonlyMap<string, string>>

/** Parses the output of `find -printf '%i %p\0'`. */
export const parseListing = (text: string): Listing => {
  const folders = new Map<string, Map<string, string>>()
  for (const entry of text.split("\0")) {
    const [, inode, folder, name] = /^(\d+) (.+)\/([^/]+)$/s.exec(entry) ?? []
    if (inode === undefined) continue
    const names = folders.get(folder!) ?? new Map<string, string>()
    folders.set(folder!, names.set(name!, inode))
  }
  return folders
}
