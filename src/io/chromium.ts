/** Starts a Chromium that reaches the network through a guarded proxy alone. */
import type { BrowserContext, Page, Browser as PlaywrightBrowser } from "playwright-core"
import type { AddressGuard } from "./address-guard.ts"
import { FetchError } from "./fetch-error.ts"
import { findChromium } from "./find-chromium.ts"
import { GuardedProxy } from "./guarded-proxy.ts"
import { loadLibraries } from "./page-script.ts"

export interface ChromiumOptions {
  /** Default: the environment's `CHROME_PATH`, else what is found in the usual places. */
  readonly executablePath?: string
  /** A folder that keeps cookies and logins. Default: every page is read with an empty profile. */
  readonly profile?: string
  /** Whether Chromium confines its processes. Default: true, except for root, for whom it cannot. */
  readonly sandbox?: boolean
}

interface Tab {
  readonly page: Page
  close(): Promise<void>
}

export interface RunningChromium {
  /** What is put before a script that reads a page. */
  readonly libraries: string
  openTab(): Promise<Tab>
  /** Why the last connection to the host of a URL failed. */
  failureOf(url: URL): Error | undefined
  /** Calls back once it has ended, whoever ended it. */
  onEnd(ended: () => void): void
  close(): Promise<void>
}

/** Neither services of its maker nor ways past the proxy. */
const flags = [
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
  // The former name of that.
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  // The proxy resolves names; Chromium itself shall reach nothing else.
  "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
]

const packages = "playwright-core @mozilla/readability turndown @joplin/turndown-plugin-gfm"

/** They are optional: who reads no pages need not install them. */
const loadPackages = async () => {
  try {
    const [{ chromium }, libraries] = await Promise.all([import("playwright-core"), loadLibraries()])
    return { chromium, libraries }
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code !== "ERR_MODULE_NOT_FOUND" && code !== "MODULE_NOT_FOUND") throw cause
    throw new FetchError(
      `Packages that read web pages are not installed. Install them with: npm install ${packages}`,
      { cause },
    )
  }
}

type Session = Pick<RunningChromium, "openTab" | "onEnd" | "close">

const pageOptions = { acceptDownloads: false, serviceWorkers: "block" } as const

/** Every tab has a profile of its own, which ends with it. */
const temporarySession = (browser: PlaywrightBrowser): Session => ({
  openTab: async () => {
    const context = await browser.newContext(pageOptions)
    return { page: await context.newPage(), close: () => context.close() }
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

/** What of Playwright's report on a Chromium that did not start helps. */
const startFailure = (executablePath: string, cause: unknown): FetchError => {
  const { message } = cause as Error
  const reason = /no usable sandbox/i.test(message)
    ? "it cannot confine its processes on this machine. Where that is acceptable, set the option sandbox to false."
    : message.split("\n")[0]
  return new FetchError(`The browser ${executablePath} cannot be started: ${reason}`, { cause })
}

/** Rejects with a FetchError where something is not installed, or does not start. */
export const startChromium = async (
  options: ChromiumOptions,
  guard: AddressGuard,
): Promise<RunningChromium> => {
  const { profile, sandbox = process.getuid?.() !== 0 } = options
  const executablePath = await findChromium(options.executablePath)
  const { chromium, libraries } = await loadPackages()
  const proxy = new GuardedProxy(guard)
  const launchOptions = {
    executablePath,
    headless: true,
    args: flags,
    chromiumSandbox: sandbox,
    // Playwright's answer to a signal would end the host's process.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    proxy: { server: await proxy.start(), bypass: "<-loopback>" },
  }
  try {
    const session =
      profile === undefined
        ? temporarySession(await chromium.launch(launchOptions))
        : persistentSession(
            await chromium.launchPersistentContext(profile, { ...launchOptions, ...pageOptions }),
          )
    session.onEnd(() => proxy.close())
    return { ...session, libraries, failureOf: (url) => proxy.failureOf(url) }
  } catch (cause) {
    proxy.close()
    throw startFailure(executablePath, cause)
  }
}
