/** The paths that a sandboxed command must not write, although they lie in a writable folder. */
import { dirname, join, resolve } from "node:path"
import { isWithin } from "../io/is-within.ts"
import { readRegular } from "../text/regular-file.ts"
import { keptEmpty } from "./runs-later.ts"
import type { Survey } from "./survey.ts"

/** The paths to protect in a folder, existing or not. */
const namesIn = (folder: string): Array<string> => keptEmpty.map((name) => join(folder, name))

/** A hooks folder or an included file in a git configuration. The first is relative to the repository, the second to the file. */
const namedPath = /^\s*(hooksPath|path)\s*=\s*"?([^"\n;#]+?)"?\s*$/gim

/** The paths to protect in a repository's git folder. */
const pathsInGit = async (gitFolder: string): Promise<Array<string>> => {
  const config = join(gitFolder, "config")
  const text = await readRegular(config).then(String, () => "")
  const named = [...text.matchAll(namedPath)]
    .filter(([, , path]) => !path!.startsWith("~"))
    .map(([, key, path]) => resolve(key!.toLowerCase() === "path" ? gitFolder : dirname(gitFolder), path!))
  return [join(gitFolder, "hooks"), config, ...named]
}

/** Each is a mount, plus those for its parents: more would prevent a command from starting. */
const maxSettings = 400

const isOfPackage = (path: string): boolean => path.split("/").includes("node_modules")

/**
 * The settings that are bound read-only: not those of packages, which are reinstalled, nor those inside another. The rest is
 * checked after the command.
 */
const boundSettings = (settings: ReadonlySet<string>): Array<string> => {
  const bound: Array<string> = []
  for (const path of settings) {
    const isCovered = isOfPackage(path) || bound.some((folder) => isWithin(folder, path))
    if (!isCovered && bound.length < maxSettings) bound.push(path)
  }
  return bound
}

/** The protected paths, from the survey of the writable folders. */
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

/** The default for `denyRead`: paths with a user's keys. */
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
