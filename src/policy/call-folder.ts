/**
 * The folder that a call works in. It decides what a command means (`npm test`, `git status`), so an allow rule holds in
 * the executor's folder, and in another one only if it names it.
 */
import { homedir } from "node:os"
import { isAbsolute, relative, resolve, sep } from "node:path"
import type { SimpleCommand } from "./command-line.ts"
import { type Place, realPath } from "./path-forms.ts"
import type { Rule } from "./rules.ts"
import { type FilteredTool, ownParam } from "./subjects.ts"

export interface CallFolder {
  /** As it is named; the executor's has no name. */
  readonly name: string
  /** Links resolved; undefined where that cannot be told. */
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

/** @param from Where a relative one starts. */
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

/** The folder as rules name it, for one that they must name. */
export const folderToName = ({ isExecutors, real }: CallFolder): string | undefined =>
  isExecutors || real === undefined ? undefined : ruleFolder(real)

/** As a rule names this one folder: one that is called `**` is not all that lies beside it. */
export const ruleFolder = (folder: string): string => (below.test(folder) ? `${folder}/` : folder)

const isInside = (folder: string, path: string): boolean => {
  const way = relative(folder, path)
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

/** `packages/a`, or `packages/**` for it and all below. */
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
 * Where bash comes to by a path: mostly it follows the path as it is spelled, from the folder by the name that it was given
 * as PWD. By `-P` or a setting it follows each link. Not known where these differ, or where it looks in CDPATH.
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

/** Where `cd` leads. */
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
  /** All that it may run in: the order of a line's commands is not followed. */
  readonly folders: ReadonlyArray<CallFolder>
}

/** The commands of a line with where each of them may run. */
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
