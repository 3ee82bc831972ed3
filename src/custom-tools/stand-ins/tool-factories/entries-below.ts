/** Walks a folder of this machine for a search: without what `.gitignore` files ignore, and without the repository itself. */
import { localFiles } from "../../../io/files.ts"
import { type WalkedEntry, walkFolder } from "../../../io/walk-folder.ts"
import { slashed } from "./paths.ts"

const unwalked: ReadonlySet<string> = new Set([".git"])

/** `folder`: with every link resolved. The paths of the entries have slashes. */
export async function* entriesBelow(
  folder: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<WalkedEntry, void> {
  for await (const { path, kind } of walkFolder(localFiles, { folder, top: folder, unwalked, signal }))
    yield { path: slashed(path), kind }
}
