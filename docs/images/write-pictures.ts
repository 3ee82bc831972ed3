/** `npm run docs:picture`: runs calls, and draws them into `timeline.svg` and `gate.svg`. */
import { writeFileSync } from "node:fs"
import { drawGate, gateRows } from "./draw-gate.ts"
import { drawTimeline } from "./draw-timeline.ts"
import { recordRun } from "./recorded-run.ts"

const write = (name: string, text: string) => writeFileSync(new URL(name, import.meta.url), text)
write("timeline.svg", drawTimeline(await recordRun()))
write("gate.svg", drawGate(await gateRows()))
