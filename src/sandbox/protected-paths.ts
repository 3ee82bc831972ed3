/** What a command in the box may not write, though it lies in a folder that it may write. */
import { dirname, join, resolve } from "node:path"
import { isWithin } from "../io/is-within.ts"
import { readRegular } from "../text/regular-file.ts"
import { keptEmpty } from "./runs-later.ts"
import type { Survey } from "./survey.ts"

/** Whether they are there or not. */
const namesIn = (folder: string): Array<string> => keptEmpty.map((name) => join(folder, name))

/** A hooks folder that the repository's configuration names, from its own folder, and a file that it includes, from its own. */
const namedPath = /^\s*(hooksPath|path)\s*=\s*"?([^"\n;#]+?)"?\s*$/gim

/** In a repository's git folder. */
const pathsInGit = async (gitFolder: string): Promise<Array<string>> => {
  const config = join(gitFolder, "config")
  const text = await readRegular(config).then(String, () => "")
  const named = [...text.matchAll(namedPath)]
    .filter(([, , path]) => !path!.startsWith("~"))
    .map(([, key, path]) => resolve(key!.toLowerCase() === "path" ? gitFolder : dirname(gitFolder), path!))
  return [join(gitFolder, "hooks"), config, ...named]
}

/** Each is a mount, and those on the way to it: more would keep a command from starting. */
const maxSettings = 400

const isOfPackage = (path: string): boolean => path.split("/").includes("node_modules")

/**
 * The settings that are bound read-only: not those of packages, which are installed anew, nor what lies in another. What
 * is left is looked at after the command.
 */
const boundSettings = (settings: ReadonlySet<string>): Array<string> => {
  const bound: Array<string> = []
  for (const path of settings) {
    const isCovered = isOfPackage(path) || bound.some((folder) => isWithin(folder, path))
    if (!isCovered && bound.length < maxSettings) bound.push(path)
  }
  return bound
}

/** By what was found in the folders that may be written. */
export const protectedPaths = async (
  write: ReadonlyArray<string>,
  { folders, detours, pointers, settings }: Survey,
): Promise<Array<string>> => {
  const inGit = await Promise.all([...folders].map(pathsInGit))
  return [
    ...new Set([
      ...write.flatMap(namesIn),
      ...inGit.flat(),
      ...detours,
      ...pointers,
      ...boundSettings(settings),
    ]),
  ]
}

/** What holds the keys of a user, where nothing else is said. */
export const secretPaths: ReadonlyArray<string> = [
  "~/.ssh",
  "~/.gnupg",
  "~/.aws",
  "~/.azure",
  "~/.kube",
  "~/.config/gcloud",
  "~/.config/gh",
  "~/.docker/config.json",
  "~/.netrc",
  "~/.git-credentials",
  "~/.password-store",
]
