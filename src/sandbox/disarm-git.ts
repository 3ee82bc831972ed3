/**
 * Takes the sting out of repositories that a command made in its box: a hook or a setting in them would run outside of
 * it, the next time that somebody calls git there. Repositories that were there before are bound read-only instead.
 */
import { lstat, readdir, readFile, readlink, realpath, rename, writeFile } from "node:fs/promises"
import { dirname, join, resolve, sep } from "node:path"
import { findGitFolders, type GitFolders } from "./git-folders.ts"

/** Settings that run nothing, by section, as `git init`, `git clone` and `git remote` write them. */
const harmless: Readonly<Record<string, RegExp>> = {
  core: /^(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|quotepath|abbrev|sparsecheckout|sparsecheckoutcone)$/,
  remote: /^(url|pushurl|fetch|push|tagopt|mirror|prune|promisor|partialclonefilter)$/,
  branch: /^(remote|merge|rebase|pushremote|description)$/,
  user: /^(name|email)$/,
  init: /^defaultbranch$/,
  submodule: /^(url|active|branch)$/,
  extensions: /^(objectformat|refstorage|partialclone|noop)$/,
  pull: /^(rebase|ff)$/,
  push: /^(default|autosetupremote)$/,
}

const sectionLine = /^\s*\[\s*([\w.-]+)(?:\s+"(?:[^"\\]|\\.)*")?\s*\]\s*(?:[#;].*)?$/
const settingLine = /^\s*([A-Za-z][\w-]*)\s*(?:=\s*(.*))?$/

/** The text with only what runs nothing; what is not plainly that, such as a continued line, goes. */
export const harmlessConfig = (text: string): string => {
  const kept: Array<string> = []
  let section = ""
  let isContinued = false
  for (const line of text.split("\n")) {
    const continues = /\\$/.test(line)
    if (isContinued || continues) {
      isContinued = continues
      continue
    }
    const [, name] = sectionLine.exec(line) ?? []
    if (name !== undefined) {
      section = name.toLowerCase()
      kept.push(line)
      continue
    }
    const [, key, value = ""] = settingLine.exec(line) ?? []
    const isBlank = /^\s*(?:[#;].*)?$/.test(line)
    const isSafe = key !== undefined && harmless[section]?.test(key.toLowerCase()) === true
    // `ext::` runs a command, and so does a host that is an option.
    if (isBlank || (isSafe && !/(^|["\s])(\w+::|-)/.test(value))) kept.push(line)
  }
  return kept.join("\n")
}

const asideOf = async (path: string): Promise<string> => {
  for (let number = 0; ; number++) {
    const aside = `${path}.blocked${number === 0 ? "" : number}`
    if ((await lstat(aside).catch(() => undefined)) === undefined) return aside
  }
}

const moveAside = async (path: string): Promise<string> => {
  await rename(path, await asideOf(path))
  return path
}

const disarmHooks = async (folder: string): Promise<Array<string>> => {
  const hooks = join(folder, "hooks")
  const info = await lstat(hooks).catch(() => undefined)
  if (info === undefined) return []
  // A link to hooks elsewhere.
  if (!info.isDirectory()) return [await moveAside(hooks)]
  const names = (await readdir(hooks)).filter((name) => !/\.(sample|blocked\d*)$/.test(name))
  return Promise.all(names.map((name) => moveAside(join(hooks, name))))
}

const disarmConfig = async (folder: string): Promise<Array<string>> => {
  const config = join(folder, "config")
  const info = await lstat(config).catch(() => undefined)
  if (info === undefined) return []
  if (!info.isFile()) return [await moveAside(config)]
  const text = await readFile(config, "utf8")
  const kept = harmlessConfig(text)
  if (kept === text) return []
  // A new file: the old one may have a second name somewhere.
  await moveAside(config)
  await writeFile(config, kept, { flag: "wx", mode: info.mode & 0o777 })
  return [config]
}

const isInside = (roots: ReadonlyArray<string>, path: string): boolean =>
  roots.some((root) => path === root || path.startsWith(root + sep))

/** Where a `.git` that is a file or a link leads, with all links resolved. */
const targetOf = async (pointer: string): Promise<string | undefined> => {
  try {
    const info = await lstat(pointer)
    const named = info.isSymbolicLink()
      ? await readlink(pointer)
      : /^gitdir:\s*(.+?)\s*$/m.exec(await readFile(pointer, "utf8"))?.[1]
    return named === undefined ? undefined : await realpath(resolve(dirname(pointer), named))
  } catch {
    return undefined
  }
}

const commonFolderOf = async (detour: string): Promise<string | undefined> => {
  if (!detour.endsWith(`${sep}commondir`)) return undefined
  const named = (await readFile(detour, "utf8").catch(() => "")).trim()
  return named === "" ? undefined : realpath(resolve(dirname(detour), named)).catch(() => undefined)
}

/**
 * @param before What was there when the command started, and was protected.
 * @returns What was moved aside, as `NAME.blocked`.
 */
export const disarmGit = async (roots: ReadonlyArray<string>, before: GitFolders): Promise<Array<string>> => {
  const after = await findGitFolders(roots)
  const blocked: Array<string> = []
  for (const folder of after.folders) {
    if (!before.folders.has(folder))
      blocked.push(...(await disarmHooks(folder)), ...(await disarmConfig(folder)))
  }
  for (const detour of after.detours) {
    if (before.detours.has(detour)) continue
    // A worktree's folder leads to that of its repository, which was looked at too.
    const common = await commonFolderOf(detour)
    const isOwn = common !== undefined && after.folders.has(common) && !before.folders.has(dirname(detour))
    if (!isOwn) blocked.push(await moveAside(detour))
  }
  for (const pointer of after.pointers) {
    if (before.pointers.has(pointer)) continue
    const target = await targetOf(pointer)
    if (target === undefined || !isInside(roots, target)) blocked.push(await moveAside(pointer))
  }
  return blocked
}
