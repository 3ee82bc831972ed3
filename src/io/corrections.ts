/**
 * What an agent learned from its mistakes, kept in `.stepline/corrections.json` of a folder. Writes are atomic and locked,
 * so that agents in several processes lose nothing; a damaged file is renamed, never overwritten.
 */
import { rename } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { readRegular } from "../text/regular-file.ts"
import { createFile, replaceFile } from "./atomic-write.ts"
import { withFileLock } from "./file-lock.ts"
import { localFiles } from "./files.ts"
import { RealFolder } from "./real-folder.ts"

/** The path of the file, relative to its folder. */
export const correctionsFile = join(".stepline", "corrections.json")

/** What an agent learned from its user. */
export interface Correction {
  /** The goal of the attempt. */
  readonly goal: string
  /** What was tried and did not work. */
  readonly failed_attempt: string
  /** What worked. */
  readonly successful_approach: string
  /** ISO 8601; missing in corrections written by hand. */
  readonly recorded_at?: string
}

/** Maximum length of each text, in characters. */
export const maxCorrectionText = 2000

const isMissing = (cause: unknown): boolean => (cause as NodeJS.ErrnoException).code === "ENOENT"

const isCorrection = (value: unknown): value is Correction => {
  if (typeof value !== "object" || value === null) return false
  const { goal, failed_attempt, successful_approach } = value as Record<string, unknown>
  return [goal, failed_attempt, successful_approach].every((part) => typeof part === "string")
}

/** Returns undefined for a damaged file, and an empty list for an empty one. */
const parseCorrections = (content: string): Array<Correction> | undefined => {
  const text = content.replace(/^\uFEFF/, "").trim()
  if (text === "") return []
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) && value.every(isCorrection) ? value : undefined
  } catch {
    return undefined
  }
}

/** Resolves with undefined if there is no file. */
const textOf = async (content: Promise<Uint8Array>): Promise<string | undefined> => {
  try {
    return Buffer.from(await content).toString()
  } catch (cause) {
    if (isMissing(cause)) return undefined
    throw cause
  }
}

/** The name under which a damaged file is kept. It contains the time, so that it is unique. */
const asideOf = (path: string, now: Date): string =>
  path.replace(/\.json$/, `.damaged-${now.toISOString().replace(/[:.]/g, "-")}.json`)

/** Runs `work` in the folder of the file, and creates the folder if it is missing. */
const inFolder = async <A>(path: string, work: (folder: RealFolder) => Promise<A>): Promise<A> => {
  let isReady = false
  try {
    return await RealFolder.make(path, (folder) => {
      isReady = true
      return work(folder)
    })
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (isReady || (code !== "EEXIST" && code !== "ENOTDIR")) throw cause
    throw new Error(`${path} is a file where a folder is needed. Move it away.`, { cause })
  }
}

/** The result of `appendCorrection`. */
export interface AppendedCorrection {
  /** The number of corrections in the file now. */
  readonly count: number
  /** Where the former file was moved, because it was damaged. */
  readonly damaged?: string
}

/**
 * Adds a correction to a corrections file, and creates it if needed. `path` has every link resolved. Rejects with Node's
 * error if the file cannot be read or written, and if its lock does not become free.
 */
export const appendCorrection = async (
  path: string,
  correction: Omit<Correction, "recorded_at">,
  signal?: AbortSignal,
): Promise<AppendedCorrection> => {
  const { goal, failed_attempt, successful_approach } = correction
  return inFolder(dirname(path), (folder) => {
    const lock = `${basename(path)}.lock`
    return withFileLock(
      folder.at(lock),
      async (ensureHeld) => {
        const now = new Date()
        const text = await textOf(localFiles.read(path))
        const known = text === undefined ? [] : parseCorrections(text)
        const all = [
          ...(known ?? []),
          { goal, failed_attempt, successful_approach, recorded_at: now.toISOString() },
        ]
        const content = Buffer.from(`${JSON.stringify(all, null, 2)}\n`)
        signal?.throwIfAborted()
        await ensureHeld()
        if (text !== undefined && known !== undefined) {
          await replaceFile(path, content)
          return { count: all.length }
        }
        const damaged = text === undefined ? undefined : asideOf(path, now)
        if (damaged !== undefined) {
          await rename(folder.at(basename(path)), folder.at(basename(damaged)))
        }
        await createFile(path, content)
        return { count: all.length, ...(damaged !== undefined && { damaged }) }
      },
      { shownPath: folder.named(lock), ...(signal !== undefined && { signal }) },
    )
  })
}

/** Texts written by hand can have any length. */
const shortenedTexts = (correction: Correction): Correction => {
  const { goal, failed_attempt, successful_approach } = correction
  const cut = (text: string) =>
    text.length > maxCorrectionText ? `${text.slice(0, maxCorrectionText).trimEnd()}…` : text
  return {
    ...correction,
    goal: cut(goal),
    failed_attempt: cut(failed_attempt),
    successful_approach: cut(successful_approach),
  }
}

/** The options of `loadCorrections`. */
export interface LoadCorrectionsOptions {
  /** How many of the latest corrections to return; the file keeps all. `Infinity` for all. Default 50. */
  readonly limit?: number
}

/**
 * Loads the latest corrections of a folder (default: the current one), newest first, for a prompt. Texts are cut to 2,000
 * characters. Resolves with an empty list if there is no file. Rejects if the file is damaged (it is not changed), and with
 * Node's error if it cannot be read.
 */
export const loadCorrections = async (
  cwd = process.cwd(),
  { limit = 50 }: LoadCorrectionsOptions = {},
): Promise<Array<Correction>> => {
  if (limit !== Number.POSITIVE_INFINITY && (!Number.isInteger(limit) || limit < 1)) {
    throw new TypeError(
      `Expected \`limit\` to be a positive integer or Infinity, got \`${limit}\` (${typeof limit})`,
    )
  }
  const path = join(cwd, correctionsFile)
  const text = await textOf(readRegular(path))
  const corrections = text === undefined ? [] : parseCorrections(text)
  if (corrections === undefined) {
    throw new Error(`${path} is damaged: it is not a JSON list of corrections. Repair it, or move it away.`)
  }
  return corrections.slice(-limit).reverse().map(shortenedTexts)
}
