/**
 * A process that reads a page with the browser that is its first argument, and with the profile that is its third, if
 * any. It neither closes the browser nor ends itself.
 */
import { Browser } from "../../src/io/browser.ts"

const [executablePath, url, profile] = process.argv.slice(2)
const browser = new Browser({
  executablePath: executablePath!,
  allowPrivate: true,
  settleTimeout: 0,
  idleTimeout: 3_600_000,
  ...(profile !== undefined && { profile }),
})
const { markdown } = await browser.readPage({ url: new URL(url!), maxLength: 1000 })
console.log(markdown)
