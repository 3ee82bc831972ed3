/** Writes a tree of files: a path below the folder to its text. */
import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"

export const writeFiles = async (folder: string, files: Readonly<Record<string, string>>): Promise<void> => {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
}
