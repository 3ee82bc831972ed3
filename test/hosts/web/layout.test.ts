import { describe, expect, it } from "vitest"
import { TimelineLayout } from "../../../src/hosts/web/page/timeline/layout.ts"
import type { CallRow } from "../../../src/hosts/web/state/page-state.ts"

const row = (key: number, more: Partial<CallRow>): CallRow => ({
  key,
  callId: `c${key}`,
  agentId: "main",
  lane: more.agentId ?? "main",
  name: "shell",
  title: "",
  background: false,
  status: "running",
  queuedAt: 0,
  spans: more.startedAt === undefined ? [] : [{ kind: "handler", name: "do", from: more.startedAt }],
  revision: 0,
  ...more,
})

const make = () => {
  const layout = new TimelineLayout()
  const calls = new Map<number, CallRow>()
  const show = (...rows: ReadonlyArray<CallRow>) => {
    for (const each of rows) calls.set(each.key, each)
    layout.update(new Map(calls))
    return layout.rows.map(({ id, tracks }) => `${id}: ${tracks.map((keys) => keys.join(" ")).join(" | ")}`)
  }
  return { layout, show, calls }
}

describe("the rows of the timeline", () => {
  it("are a lane for each agent with its background below, and a track for what overlaps", () => {
    const { show } = make()
    show(row(1, { background: true, startedAt: 1 }), row(2, { agentId: "b", startedAt: 2 }))
    expect(
      show(
        row(3, { startedAt: 3, endedAt: 4 }),
        row(4, { startedAt: 4 }),
        row(5, { background: true, startedAt: 5, endedAt: 6 }),
        row(6, { background: true, startedAt: 6 }),
      ),
    ).toEqual(["lane main: 3 4", "background main: 1 | 5 6", "lane b: 2"])
  })

  it("show nothing of what waits in a lane, and move what goes on in the background", () => {
    const { show } = make()
    expect(show(row(1, { startedAt: 1 }), row(2, { status: "queued" }))).toEqual(["lane main: 1"])
    expect(show(row(1, { startedAt: 1, background: true }), row(2, { startedAt: 5 }))).toEqual([
      "lane main: 2",
      "background main: 1",
    ])
  })

  it("make no track for what never ran, and use the lane again after it", () => {
    const { show } = make()
    show(row(1, { startedAt: 1 }), row(2, { endedAt: 5, status: "cancelled" }))
    const ended = row(1, { startedAt: 1, endedAt: 6, status: "cancelled" })
    expect(show(ended, row(3, { startedAt: 7 }))).toEqual(["lane main: 1 2 3"])
  })

  it("forget what is dropped", () => {
    const { layout, show, calls } = make()
    show(row(1, { startedAt: 1, endedAt: 2 }), row(2, { startedAt: 2 }))
    calls.delete(1)
    expect(show()).toEqual(["lane main: 2"])
    expect(layout.placeOf(1)).toBeUndefined()
  })
})
