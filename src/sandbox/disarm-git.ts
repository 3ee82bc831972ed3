/**
 * Disarms repositories that a command created in its sandbox: a hook or a setting in them would run outside of it the next
 * time somebody calls git there. Repositories that existed before are bound read-only instead.
 */
import { lstat, readdir, readlink, realpath, writeFile } from "node:fs/promises"
import { dirname, join, resolve, sep } from "node:path"
import { isWithin } from "../io/is-within.ts"
import { readRegular } from "../text/regular-file.ts"
import type { MoveAside } from "./move-aside.ts"
import type { Survey } from "./survey.ts"

/** Settings, by section, that run nothing: those that `git init`, `git clone` and `git remote` write. */
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

/** Returns the text with only the harmless settings. Removes everything doubtful, such as a continued line. */
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
    // `ext::` runs a command, and so does a host that looks like an option.
    if (isBlank || (isSafe && !/(^|["\s])(\w+::|-)/.test(value))) kept.push(line)
  }
  return kept.join("\n")
}

const disarmHooks = async (folder: string, moveAside: MoveAside): Promise<void> => {
  const hooks = join(folder, "hooks")
  const info = await lstat(hooks).catch(() => undefined)
  if (info === undefined) return
  // Move a link to hooks elsewhere, or an unreadable folder, as a whole.
  const names = info.isDirectory() ? await readdir(hooks).catch(() => undefined) : undefined
  if (names === undefined) {
    await moveAside(hooks)
    return
  }
  for (const name of names) {
    if (!/\.(sample|blocked\d*)$/.test(name)) await moveAside(join(hooks, name))
  }
}

/** Genuine configuration files are far smaller. */
const maxText = 1_000_000

const textOf = (path: string): Promise<string> => readRegular(path, maxText).then(String)

const disarmConfig = async (folder: string, moveAside: MoveAside): Promise<void> => {
  const config = join(folder, "config")
  const info = await lstat(config).catch(() => undefined)
  if (info === undefined) return
  const text = info.isFile() ? await textOf(config).catch(() => undefined) : undefined
  const kept = text === undefined ? undefined : harmlessConfig(text)
  if (kept !== undefined && kept === text) return
  // Write a new file: the old one can have a second name (a hard link) elsewhere.
  if ((await moveAside(config)) && kept !== undefined) {
    await writeFile(config, kept, { flag: "wx", mode: info.mode & 0o777 })
  }
}

/** The target of a `.git` that is a file or a link, with all links resolved. */
const targetOf = async (pointer: string): Promise<string | undefined> => {
  try {
    const info = await lstat(pointer)
    const named = info.isSymbolicLink()
      ? await readlink(pointer)
      : /^gitdir:\s*(.+?)\s*$/m.exec(await textOf(pointer))?.[1]
    return named === undefined ? undefined : await realpath(resolve(dirname(pointer), named))
  } catch {
    return undefined
  }
}

const commonFolderOf = async (detour: string): Promise<string | undefined> => {
  if (!detour.endsWith(`${sep}commondir`)) return undefined
  const named = (await textOf(detour).catch(() => "")).trim()
  return named === "" ? undefined : realpath(resolve(dirname(detour), named)).catch(() => undefined)
}

/** A harmless line of a rebase's todo list: nothing that runs in a shell. */
const harmlessStep =
  /^\s*(?:(?:p|pick|r|reword|e|edit|s|squash|f|fixup|d|drop|l|label|t|reset|m|merge|u|update-ref|b|break|noop)(?:\s.*)?|#.*)?$/

const strategies = /^(?:|ort|recursive|resolve|octopus|ours|subtree)\s*$/

/** Returns the lines of an ongoing rebase's todo list that make git run something; undefined if there is no such list. */
export const stepsThatRun = async (rebase: string): Promise<ReadonlySet<string> | undefined> => {
  const textAt = (name: string) =>
    textOf(join(rebase, name)).catch((error) =>
      (error as NodeJS.ErrnoException).code === "ENOENT" ? "" : undefined,
    )
  const todo = await textAt("git-rebase-todo")
  const strategy = await textAt("strategy")
  if (todo === undefined || strategy === undefined) return undefined
  const steps = todo.split("\n").filter((line) => !harmlessStep.test(line))
  return new Set(strategies.test(strategy) ? steps : [...steps, `strategy ${strategy}`])
}

/**
 * @param before What existed when the command started, and was protected.
 * @param steps The results of `stepsThatRun` for the rebases that were ongoing then.
 */
export const disarmGit = async (
  roots: ReadonlyArray<string>,
  before: Survey,
  after: Survey,
  steps: ReadonlyMap<string, ReadonlySet<string> | undefined>,
  moveAside: MoveAside,
): Promise<void> => {
  for (const folder of after.folders) {
    if (before.folders.has(folder)) continue
    await disarmHooks(folder, moveAside)
    await disarmConfig(folder, moveAside)
  }
  for (const rebase of after.rebases) {
    const known = steps.get(rebase)
    const now = await stepsThatRun(rebase)
    if (now === undefined || [...now].some((step) => known?.has(step) !== true)) await moveAside(rebase)
  }
  for (const detour of after.detours) {
    if (before.detours.has(detour)) continue
    // A worktree's folder leads to its repository's folder, which was checked too.
    const common = await commonFolderOf(detour)
    const isOwn = common !== undefined && after.folders.has(common) && !before.folders.has(dirname(detour))
    if (!isOwn) await moveAside(detour)
  }
  for (const pointer of after.pointers) {
    if (before.pointers.has(pointer)) continue
    const target = await targetOf(pointer)
    if (target === undefined || !roots.some((root) => isWithin(root, target))) await moveAside(pointer)
  }
}
