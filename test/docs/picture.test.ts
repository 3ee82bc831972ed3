// @module-tag waits
/** The picture in the README is drawn from a run, and shows what such a run does now. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
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
