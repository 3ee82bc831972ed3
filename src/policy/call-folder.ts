/**
 * The folder that a call works in determines what a command means (`npm test`, `git status`). An allow rule therefore applies
 * in the executor's folder, and in another folder only if the rule names it.
 */
import { homedir } from "node:os"
import { isAbsolute, relative, resolve, sep } from "node:path"
import type { SimpleCommand } from "./command-line.ts"
import { type Place, realPath } from "./path-forms.ts"
import type { Rule } from "./rules.ts"
import { type FilteredTool, ownParam } from "./subjects.ts"

export interface CallFolder {
  /** The folder as the call names it, or the executor's. */
  readonly name: string
  /** The folder with its links resolved; undefined if it cannot be determined, or if the call names none. */
  readonly real: string | undefined
  readonly isExecutors: boolean
}

const realOf = (path: string): string | undefined => {
  try {
    return realPath(path)
  } catch {
    return undefined
  }
}

const unknownFolder = (name: string): CallFolder => ({ name, real: undefined, isExecutors: false })

/** @param from The folder at which a relative path starts. */
const folderAt = (name: string, from: string, executors: string): CallFolder => {
  if (name.includes("\0")) return unknownFolder(name)
  const real = realOf(resolve(from, name))
  return { name, real, isExecutors: real !== undefined && real === realOf(executors) }
}

export const callFolder = (tool: FilteredTool, params: unknown, { start }: Place): CallFolder => {
  const { workingDirParam } = tool
  const value = workingDirParam === undefined ? undefined : ownParam(params, workingDirParam)
  if (value === undefined || value === null) return { name: start, real: undefined, isExecutors: true }
  return typeof value === "string" ? folderAt(value, start, start) : unknownFolder("what is no text")
}

/** The name of the folder for rules, if they have to name it. */
export const folderToName = ({ isExecutors, real }: CallFolder): string | undefined =>
  isExecutors || real === undefined ? undefined : ruleFolder(real)

/** The name by which a rule means only this folder: a folder called `**` must not mean all folders next to it. */
export const ruleFolder = (folder: string): string => (below.test(folder) ? `${folder}/` : folder)

const isInside = (folder: string, path: string): boolean => {
  const way = relative(folder, path)
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

/** The end of `packages/**`, which means `packages` and all folders below it. */
const below = /(?:^|(?<=[/\\]))\*\*$/

export const holdsIn = (
  { workingDir }: Rule,
  { isExecutors, real }: CallFolder,
  { start, base }: Place,
): boolean => {
  if (workingDir === undefined) return isExecutors
  if (workingDir === "/**") return true
  const here = isExecutors ? realOf(start) : real
  const named = realOf(resolve(base, workingDir.replace(below, "")))
  if (here === undefined || named === undefined) return false
  return here === named || (below.test(workingDir) && isInside(named, here))
}

const isCd = ({ words: [first] }: SimpleCommand): boolean =>
  first !== undefined && /^(cd|pushd|popd)$/.test(first.text)

/**
 * The folder that bash reaches by a path. Usually bash follows the path as it is spelled, from the folder's name in PWD; with
 * `-P` or a setting it resolves each link. Unknown if the two differ, or if bash searches CDPATH.
 */
const reached = (path: string, from: string, executors: string): CallFolder => {
  const { PWD = "", CDPATH = "" } = process.env
  if (CDPATH !== "" && !/^(\/|\.\.?(\/|$))/.test(path)) return unknownFolder(path)
  const real = realOf(from)
  const starts = [from, real ?? from, ...(isAbsolute(PWD) && realOf(PWD) === real ? [PWD] : [])]
  const spelled = starts.map((start) => realOf(resolve(start, path)))
  const followed = realOf(isAbsolute(path) ? path : `${from}/${path}`)
  return spelled.every((place) => place === followed) ? folderAt(path, from, executors) : unknownFolder(path)
}

/** The folder that `cd` leads to. */
const target = ({ words, around }: SimpleCommand, folder: CallFolder, { start }: Place): CallFolder => {
  const [name, ...args] = words
  const operands = args.filter(({ text }) => !/^-[PLe@]+$|^--$/.test(text))
  const [operand] = operands
  if (name!.text === "cd" && operand === undefined) return folderAt(homedir(), start, start)
  const from = folder.isExecutors ? start : folder.real
  if (
    operand?.literal !== true ||
    operands.length > 1 ||
    from === undefined ||
    /^[-+]|^$/.test(operand.text)
  ) {
    return unknownFolder(operand?.text ?? name!.text)
  }
  const once = reached(operand.text, from, start)
  if (!around.repeats || once.real === undefined) return once
  const twice = reached(operand.text, once.real, start)
  return twice.real === once.real ? once : unknownFolder(`where \`cd ${operand.text}\` leads time and again`)
}

export interface PlacedCommand {
  readonly command: SimpleCommand
  /** All folders that the command may run in: the order of a line's commands is not considered. */
  readonly folders: ReadonlyArray<CallFolder>
}

/** The commands of a line, each with the folders that the command may run in. */
export const placed = (
  commands: ReadonlyArray<SimpleCommand>,
  folder: CallFolder,
  place: Place,
): Array<PlacedCommand> => {
  const moves = commands.filter(isCd)
  const targets =
    moves.length > 1
      ? [unknownFolder("where several `cd` lead")]
      : moves.map((move) => target(move, folder, place))
  return commands.map((command) => {
    const { elsewhere } = command.around
    if (elsewhere !== undefined) return { command, folders: [unknownFolder(`where \`${elsewhere}\` leads`)] }
    return { command, folders: isCd(command) ? [folder] : [folder, ...targets] }
  })
}
