/** A log in a file of the user's state folder. It never prints, never fails, and keeps nothing open. */
import { appendFile, mkdir, rename, stat } from "node:fs/promises"
import { homedir } from "node:os"
import { dirname, isAbsolute, join } from "node:path"
import { messageOf } from "../pipeline/failure.ts"
import type { CustomToolHost } from "./host.ts"
import type { Logger } from "./logger.ts"
import { toPlainJson } from "./plain-json.ts"

const maxFileBytes = 5_000_000
const maxLineChars = 20_000
/** Lines that may wait for the disk; what comes past them is counted. */
const maxWaiting = 1000

/** `$XDG_STATE_HOME/stepline/custom-tools.log`, by default under `~/.local/state`. */
const logPath = (): string => {
  const { XDG_STATE_HOME } = process.env
  const state =
    XDG_STATE_HOME !== undefined && isAbsolute(XDG_STATE_HOME)
      ? XDG_STATE_HOME
      : join(homedir(), ".local", "state")
  return join(state, "stepline", "custom-tools.log")
}

const append = async (text: string): Promise<void> => {
  const path = logPath()
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const size = await stat(path).then(
    (info) => info.size,
    () => 0,
  )
  if (size > 0 && size + Buffer.byteLength(text) > maxFileBytes) await rename(path, `${path}.1`)
  await appendFile(path, text, { mode: 0o600 })
}

class LogFile {
  private lines: Array<string> = []
  private dropped = 0
  private isWriting = false

  write(line: string): void {
    if (this.lines.length >= maxWaiting) {
      this.dropped += 1
      return
    }
    this.lines.push(line)
    if (!this.isWriting) void this.flush()
  }

  private async flush(): Promise<void> {
    this.isWriting = true
    while (this.lines.length > 0) {
      if (this.dropped > 0) this.lines.push(lineOf("warn", `${this.dropped} lines left out`))
      const text = this.lines.join("")
      this.lines = []
      this.dropped = 0
      // A log that cannot be written is nobody's business.
      await append(text).catch(() => undefined)
    }
    this.isWriting = false
  }
}

const lineOf = (level: string, message: unknown, context?: unknown): string => {
  const fields = context === undefined ? undefined : JSON.stringify(toPlainJson(context))
  const words = messageOf(message).replaceAll("\n", "\\n")
  const line = [new Date().toISOString(), level, words, fields].filter((part) => part !== undefined).join(" ")
  return `${line.slice(0, maxLineChars)}\n`
}

/**
 * Appends lines of time, level, message and context as JSON to `stepline/custom-tools.log` in `$XDG_STATE_HOME`, by
 * default `~/.local/state`. Past 5 MB the file becomes `custom-tools.log.1` and a new one begins.
 */
export const fileLogger = (): Logger => {
  const file = new LogFile()
  const level = (name: string) => (message: string, context?: unknown) =>
    file.write(lineOf(name, message, context))
  return { error: level("error"), warn: level("warn"), info: level("info"), debug: level("debug") }
}

let shared: Logger | undefined

/** The host's logger, or the file that all hosts without one share. */
export const loggerOf = ({ logger }: CustomToolHost): Logger => {
  if (logger !== undefined) return logger
  shared ??= fileLogger()
  return shared
}
