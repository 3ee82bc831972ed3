/** Starts a Chromium that reaches the network only through a guarded proxy. */
import type { ChildProcess } from "node:child_process"
import { constants } from "node:fs"
import { access, mkdir } from "node:fs/promises"
import type { Socket } from "node:net"
import { stripVTControlCharacters } from "node:util"
import type { BrowserContext, Page, Browser as PlaywrightBrowser } from "playwright-core"
import { shortened } from "../text/truncation.ts"
import type { AddressGuard } from "./address-guard.ts"
import { importBeside } from "./beside.ts"
import { environmentFor } from "./environment.ts"
import { FetchError } from "./fetch-error.ts"
import { findChromium } from "./find-chromium.ts"
import { GuardedProxy } from "./guarded-proxy.ts"
import { isMissingModule } from "./missing-module.ts"
import { loadLibraries } from "./page-script.ts"
import { reaper } from "./reaper.ts"
import { addMark, newMark } from "./run-marker.ts"
import { watchSpawns } from "./spawned-processes.ts"

/** Which Chromium is started, and how. */
export interface ChromiumOptions {
  /** Default: the environment's `CHROME_PATH`, else a browser found in the usual places. */
  readonly executablePath?: string
  /** A folder that keeps cookies and logins. Default: every page is read with an empty profile. */
  readonly profile?: string
  /** Whether Chromium sandboxes its processes. Default: true, except for root, where it is not possible. */
  readonly sandbox?: boolean
}

/** @internal Playwright's type: that library is optional. */
interface Tab {
  readonly page: Page
  close(): Promise<void>
}

/** @internal */
export interface RunningChromium {
  /** Source code prepended to a script that reads a page. */
  readonly libraries: string
  openTab(): Promise<Tab>
  /** Why the last connection to the host of a URL failed. */
  failureOf(url: URL): Error | undefined
  /** Calls `ended` once Chromium has ended, for whatever reason. */
  onEnd(ended: () => void): void
  /** Keeps this process alive. This is the initial state. */
  ref(): void
  /** Allows this process to exit, which ends Chromium. */
  unref(): void
  /** Closes Chromium; kills it if it has not ended after 30 seconds. */
  close(): Promise<void>
}

/** Disable vendor services, and all ways around the proxy. */
const flags = [
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
  // The former name of that flag.
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  // The proxy resolves names; Chromium itself must reach nothing else.
  "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
]

/** In milliseconds. A start that hangs would block all pages. */
const startTimeout = 20_000

const packages = "playwright-core @mozilla/readability turndown @joplin/turndown-plugin-gfm"

/** Loads the optional packages, which only reading pages needs. */
const loadPackages = async () => {
  try {
    const [{ chromium }, libraries] = await Promise.all([
      importBeside<typeof import("playwright-core")>("playwright-core"),
      loadLibraries(),
    ])
    return { chromium, libraries }
  } catch (cause) {
    if (!isMissingModule(cause)) throw cause
    throw new FetchError(
      `Packages that read web pages are not installed. Install them with: npm install ${packages}`,
      { cause },
    )
  }
}

type Session = Pick<RunningChromium, "openTab" | "onEnd" | "close">

const pageOptions = { acceptDownloads: false, serviceWorkers: "block" } as const

/** Every tab has its own profile, which is deleted with it. */
const temporarySession = (browser: PlaywrightBrowser): Session => ({
  openTab: async () => {
    const context = await browser.newContext(pageOptions)
    const close = () => context.close()
    try {
      return { page: await context.newPage(), close }
    } catch (cause) {
      await close().catch(() => {})
      throw cause
    }
  },
  onEnd: (ended) => browser.on("disconnected", ended),
  close: () => browser.close(),
})

const persistentSession = (context: BrowserContext): Session => ({
  openTab: async () => {
    const page = await context.newPage()
    return { page, close: () => page.close() }
  },
  onEnd: (ended) => context.on("close", ended),
  close: () => context.close(),
})

/** The useful part of Playwright's error when Chromium does not start: the last line of Chromium's own stderr, if there is one. */
const startFailure = (executablePath: string, cause: unknown): FetchError => {
  // Playwright adds colours.
  const message = stripVTControlCharacters((cause as Error).message)
  const lastWords = [...message.matchAll(/\[err\] (.*\S)/g)].at(-1)?.[1]
  const reason = /no usable sandbox|running as root without --no-sandbox/i.test(message)
    ? "it cannot confine its processes on this machine. Where that is acceptable, set the option sandbox to false."
    : shortened(lastWords ?? message.split("\n")[0]!, 500)
  return new FetchError(`The browser ${executablePath} cannot be started: ${reason}`, { cause })
}

const makeProfile = async (profile: string): Promise<void> => {
  try {
    await mkdir(profile, { recursive: true })
    await access(profile, constants.W_OK)
  } catch (cause) {
    throw new FetchError(`The folder of the browser's profile cannot be used: ${(cause as Error).message}`, {
      cause,
    })
  }
}

/** Finds the process, which Playwright does not expose, by its proxy, which no other Chromium uses. */
const processOf = (processes: ReadonlyArray<ChildProcess>, proxyUrl: string): ChildProcess | undefined =>
  processes.find(({ spawnargs }) => spawnargs?.includes(`--proxy-server=${proxyUrl}`))

/** Does nothing if the process was not found. */
const references = (chromium: ChildProcess | undefined): Pick<RunningChromium, "ref" | "unref"> => {
  const pipes = (chromium?.stdio ?? []) as ReadonlyArray<Socket | null>
  return {
    ref: () => {
      for (const handle of [chromium, ...pipes]) handle?.ref()
    },
    unref: () => {
      for (const handle of [chromium, ...pipes]) handle?.unref()
    },
  }
}

/** Kills Chromium and its children: Playwright makes it a process group leader. */
const kill = (chromium: ChildProcess | undefined): void => {
  try {
    if (chromium?.pid !== undefined) process.kill(-chromium.pid, "SIGKILL")
  } catch {
    // It has already ended.
  }
}

/**
 * @internal Rejects with a FetchError if a package or Chromium is not installed, or Chromium does not start. An abort kills
 * a starting Chromium.
 */
export const startChromium = async (
  options: ChromiumOptions,
  guard: AddressGuard,
  signal: AbortSignal,
): Promise<RunningChromium> => {
  const { profile, sandbox = process.getuid?.() !== 0 } = options
  const executablePath = await findChromium(options.executablePath)
  const { chromium, libraries } = await loadPackages()
  if (profile !== undefined) await makeProfile(profile)
  const proxy = new GuardedProxy(guard)
  try {
    const server = await proxy.start()
    const launchOptions = {
      executablePath,
      headless: true,
      args: flags,
      chromiumSandbox: sandbox,
      // Playwright's signal handlers would end the host's process.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
      proxy: { server, bypass: "<-loopback>" },
      env: addMark(environmentFor(), newMark()),
      timeout: startTimeout,
    }
    const launch = async () =>
      profile === undefined
        ? temporarySession(await chromium.launch(launchOptions))
        : persistentSession(
            await chromium.launchPersistentContext(profile, { ...launchOptions, ...pageOptions }),
          )
    return await watchSpawns(async (processes) => {
      const abort = () => kill(processOf(processes, server))
      signal.addEventListener("abort", abort)
      try {
        const session = await launch()
        const leave = reaper.watch(processOf(processes, server)?.pid)
        session.onEnd(() => {
          leave()
          proxy.close()
        })
        return {
          ...session,
          ...references(processOf(processes, server)),
          libraries,
          failureOf: (url) => proxy.failureOf(url),
        }
      } finally {
        signal.removeEventListener("abort", abort)
      }
    })
  } catch (cause) {
    proxy.close()
    throw startFailure(executablePath, cause)
  }
}
