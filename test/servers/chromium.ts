/** What tests with a Chromium have in common. */

import { execFileSync } from "node:child_process"
import { once } from "node:events"
import { createReadStream, existsSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { onTestFinished } from "vitest"
import { Browser, type BrowserOptions } from "../../src/io/browser.ts"
import { findChromium } from "../../src/io/find-chromium.ts"

const withoutWindows = "/usr/bin/chromium-headless-shell"

/**
 * For tests that are about pages, or about who waits for whom, and not about the processes of a browser: Chromium without its windows,
 * where that is installed too. It loads and shows a page the same way, for a quarter of the time.
 */
export const forPages: BrowserOptions = existsSync(withoutWindows) ? { executablePath: withoutWindows } : {}

export interface WatchedChromium {
  readonly executablePath: string
  /** The process id of its first start. */
  readonly started: Promise<number>
  /** Resolves when no process of its first start is left. */
  readonly ended: Promise<unknown>
}

/** A Chromium that holds one end of a FIFO while it lives. */
export const watchedChromium = async (
  path: (name: string) => string,
  options: BrowserOptions = {},
): Promise<WatchedChromium> => {
  const chromium = await findChromium(options.executablePath)
  execFileSync("mkfifo", [path("life")])
  const watch = `exec 9> '${path("life")}'; echo $$ >&9`
  const script = `#!/bin/sh\nif mkdir '${path("started")}' 2> /dev/null; then ${watch}; fi\nexec '${chromium}' "$@"\n`
  await writeFile(path("chromium"), script, { mode: 0o755 })
  const life = createReadStream(path("life"))
  return {
    executablePath: path("chromium"),
    started: once(life, "data").then(([pid]) => Number(pid)),
    ended: once(life, "close"),
  }
}

/** Closed when the test has ended. */
export const browserOf = (options: BrowserOptions = {}): Browser => {
  const browser = new Browser({ settleTimeout: 0, loadTimeout: 60_000, ...options })
  onTestFinished(() => browser.close())
  return browser
}
