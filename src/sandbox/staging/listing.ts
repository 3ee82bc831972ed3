/** The names in the folders that a command wrote to, as it saw them: what is missing there was deleted. */

/** What the command saw in a folder that it wrote to: names with their inode. */
export type Listing = ReadonlyMap<string, ReadonlyMap<string, string>>

/** Of `find -printf '%i %p\0'`. */
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
