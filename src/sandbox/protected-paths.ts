/**
 * What a command in the box may not write, though it lies in a folder that it may write: files that make a later
 * program, outside of the box, run what they say.
 */
import { readFile } from "node:fs/promises"
import { isAbsolute, join, resolve } from "node:path"

const names = [
  // Shells and git read these in a home folder.
  ".bashrc",
  ".bash_profile",
  ".bash_login",
  ".profile",
  ".zshrc",
  ".zshenv",
  ".zprofile",
  ".gitconfig",
  ".gitmodules",
  ".ripgreprc",
  // Editors and agents in a project.
  ".vscode",
  ".idea",
  ".mcp.json",
  ".claude/settings.json",
  ".claude/settings.local.json",
  ".claude/commands",
  ".claude/agents",
  ".claude/hooks",
  ".claude/tools",
  ".codex/tools",
  ".omp/tools",
  ".pi/extensions",
  ".stepline",
  ".ssh",
]

/** In a folder that may be written, whether they are there or not. */
export const protectedNames = (folder: string): Array<string> => names.map((name) => join(folder, name))

/** A hooks folder that the repository's configuration names. */
const hooksPath = /^\s*hooksPath\s*=\s*"?([^"\n;#]+?)"?\s*$/gim

/** In a repository's git folder. */
export const protectedGitPaths = async (gitFolder: string): Promise<Array<string>> => {
  const config = join(gitFolder, "config")
  const text = await readFile(config, "utf8").catch(() => "")
  const hooks = [...text.matchAll(hooksPath)].map(([, path]) =>
    isAbsolute(path!) ? path! : resolve(gitFolder, "..", path!),
  )
  return [join(gitFolder, "hooks"), config, ...hooks]
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
