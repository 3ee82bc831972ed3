/** The lines typed into sessions: one JSON string per line, readable only by their user. */
import { appendFileSync, closeSync, mkdirSync, openSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { LineHistory } from "../hosts/terminal/line-history.ts"
import { stateFolder } from "../io/state-folder.ts"
import { appending, readRegularSync } from "../text/regular-file.ts"

/** Above this number, the file is rewritten with the kept lines only. */
const maxInFile = 3000
const kept = 1000

export const historyPath = (env: NodeJS.ProcessEnv): string => join(stateFolder(env), "history")

const readLines = (path: string): Array<string> => {
  let text: string
  try {
    // Without a size limit: a larger file would never be shortened.
    text = readRegularSync(path, Number.POSITIVE_INFINITY).toString()
  } catch {
    return []
  }
  return text.split("\n").flatMap((line) => {
    try {
      const value: unknown = JSON.parse(line)
      return typeof value === "string" ? [value] : []
    } catch {
      // Truncated, or not written by stepline.
      return []
    }
  })
}

const formatted = (lines: ReadonlyArray<string>): string =>
  lines.map((line) => `${JSON.stringify(line)}\n`).join("")

/** Does not block, and writes nothing, if the path is a pipe. */
const append = (path: string, text: string): void => {
  const file = openSync(path, appending, 0o600)
  try {
    appendFileSync(file, text)
  } finally {
    closeSync(file)
  }
}

/** A session works without its history: failures to read or write it are not reported. */
export const fileHistory = (path: string): LineHistory => {
  const lines = readLines(path)
  const write = (work: () => void) => {
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      work()
    } catch {}
  }
  if (lines.length > maxInFile)
    write(() => writeFileSync(path, formatted(lines.slice(-kept)), { mode: 0o600 }))
  return new LineHistory(lines, (line) => write(() => append(path, formatted([line]))))
}
