/** The lines that were typed into sessions of the command: a JSON string a line, for nobody else to read. */
import { appendFileSync, closeSync, mkdirSync, openSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { LineHistory } from "../hosts/terminal/line-history.ts"
import { stateFolder } from "../io/state-folder.ts"
import { appending, readRegularSync } from "../text/regular-file.ts"

/** Past this many the file is written anew with those that are kept. */
const maxInFile = 3000
const kept = 1000

export const historyPath = (env: NodeJS.ProcessEnv): string => join(stateFolder(env), "history")

const readLines = (path: string): Array<string> => {
  let text: string
  try {
    // However large: else it would be neither read nor cut.
    text = readRegularSync(path, Number.POSITIVE_INFINITY).toString()
  } catch {
    return []
  }
  return text.split("\n").flatMap((line) => {
    try {
      const value: unknown = JSON.parse(line)
      return typeof value === "string" ? [value] : []
    } catch {
      // Cut short, or somebody else's.
      return []
    }
  })
}

const formatted = (lines: ReadonlyArray<string>): string =>
  lines.map((line) => `${JSON.stringify(line)}\n`).join("")

/** A pipe in its place takes nothing, and keeps nobody waiting. */
const append = (path: string, text: string): void => {
  const file = openSync(path, appending, 0o600)
  try {
    appendFileSync(file, text)
  } finally {
    closeSync(file)
  }
}

/** A session works without its history: what cannot be read or written is not told. */
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
