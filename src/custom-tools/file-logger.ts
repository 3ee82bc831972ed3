/**
 * A log in a file of the user's state folder. It never prints, never fails, and keeps no file open. Each line is written
 * synchronously, because the last lines before a program ends matter most.
 */
import { appendFileSync, mkdirSync, renameSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { stateFolder } from "../io/state-folder.ts"
import { toPlainJson } from "../output/to-plain-json.ts"
import { messageOf } from "../text/message-of.ts"
import type { CustomToolHost, Logger } from "./host.ts"

const maxFileBytes = 5_000_000
const maxLineChars = 20_000

/** `$XDG_STATE_HOME/stepline/custom-tools.log`, by default under `~/.local/state`. */
const logPath = (): string => join(stateFolder(), "custom-tools.log")

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

const append = (line: string): void => {
  try {
    const path = logPath()
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const size = sizeOf(path)
    if (size > 0 && size + Buffer.byteLength(line) > maxFileBytes) renameSync(path, `${path}.1`)
    appendFileSync(path, line, { mode: 0o600 })
  } catch {
    // Ignore a log that cannot be written.
  }
}

const lineOf = (level: string, message: unknown, context?: unknown): string => {
  const fields = context === undefined ? undefined : JSON.stringify(toPlainJson(context))
  const words = messageOf(message).replaceAll("\n", "\\n")
  const line = [new Date().toISOString(), level, words, fields].filter((part) => part !== undefined).join(" ")
  return `${line.slice(0, maxLineChars)}\n`
}

/**
 * Appends lines of time, level, message and context as JSON to `stepline/custom-tools.log` in `$XDG_STATE_HOME`, by default
 * `~/.local/state`. Above 5 MB the file is renamed to `custom-tools.log.1`, and a new one begins.
 */
export const fileLogger = (): Logger => {
  const level = (name: string) => (message: string, context?: unknown) =>
    append(lineOf(name, message, context))
  return { error: level("error"), warn: level("warn"), info: level("info"), debug: level("debug") }
}

let shared: Logger | undefined

/** The host's logger, or the log file shared by all hosts without one. */
export const loggerOf = ({ logger }: CustomToolHost): Logger => {
  if (logger !== undefined) return logger
  shared ??= fileLogger()
  return shared
}
