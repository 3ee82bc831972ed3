/** A process that reads a page with the browser that is its first argument, and ends without closing it. */
import { Browser } from "../../src/io/browser.ts"

const [executablePath, url] = process.argv.slice(2)
const browser = new Browser({ executablePath: executablePath!, allowPrivate: true, settleTimeout: 0 })
const { markdown } = await browser.readPage({ url: new URL(url!), maxLength: 1000 })
console.log(markdown)
process.exit()
