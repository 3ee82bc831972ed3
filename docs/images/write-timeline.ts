/** `npm run docs:picture`: runs the calls, and draws them into `timeline.svg`. */
import { writeFileSync } from "node:fs"
import { drawTimeline } from "./draw-timeline.ts"
import { recordRun } from "./recorded-run.ts"

writeFileSync(new URL("timeline.svg", import.meta.url), drawTimeline(await recordRun()))
