/** Writes docs/call-machine.md: `npm run docs:machine`. */
import { mkdirSync, writeFileSync } from "node:fs"
import { machinePage } from "./machine-page.ts"

const page = new URL("../../../docs/call-machine.md", import.meta.url)
mkdirSync(new URL(".", page), { recursive: true })
writeFileSync(page, machinePage())
