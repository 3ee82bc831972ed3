// @module-tag waits
/** The pictures in the README are drawn from runs, and show what such runs do now. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { drawGate, gateRows } from "../../docs/images/draw-gate.ts"
import { drawTimeline } from "../../docs/images/draw-timeline.ts"
import { recordRun } from "../../docs/images/recorded-run.ts"
import { root } from "../support/root.ts"

/** The calls of a row and how they ended, without when. */
const shownIn = (svg: string): ReadonlyArray<string> =>
  [...svg.matchAll(/<text class="(?:row|title|mark)"[^>]*>([^<]*)</g)].map(([, text]) => text!)

const gatesIn = (svg: string): number => svg.split('<rect class="gate"').length - 1

it("the timeline in the README shows what its calls do", async () => {
  const committed = readFileSync(join(root, "docs/images/timeline.svg"), "utf8")
  const drawn = drawTimeline(await recordRun())
  expect(shownIn(drawn)).toEqual(shownIn(committed))
  expect(shownIn(drawn)).toContain("✗ denied")
  expect(gatesIn(drawn)).toBe(gatesIn(committed))
})

it("the gate in the README is what the terminal shows at one; else run `npm run docs:picture`", async () => {
  const rows = await gateRows()
  expect(rows.at(-1)).toContain("[y]es")
  expect(readFileSync(join(root, "docs/images/gate.svg"), "utf8")).toBe(drawGate(rows))
})
