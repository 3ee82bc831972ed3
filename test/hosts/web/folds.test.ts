import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { BusyTimes, FoldedScale, worksSince } from "../../../src/hosts/web/page/timeline/folds.ts"
import type { CallRow, SpanKind } from "../../../src/hosts/web/state/page-state.ts"

const span = (kind: SpanKind, from: number, to?: number) => ({
  kind,
  name: kind,
  from,
  ...(to !== undefined && { to }),
})

const call = (spans: CallRow["spans"], more: Partial<CallRow> = {}): CallRow => ({
  key: 1,
  callId: "c",
  agentId: "main",
  lane: "main",
  name: "shell",
  title: "",
  background: false,
  status: "running",
  queuedAt: 0,
  spans,
  revision: 0,
  ...more,
})

const busyWith = (...calls: ReadonlyArray<CallRow>): BusyTimes => {
  const busy = new BusyTimes()
  for (const each of calls) busy.add(each)
  return busy
}

describe("the times in which something runs", () => {
  it("are those of handlers, not of gates and waits, and joined where they meet", () => {
    const waits = call([span("handler", 10, 20), span("gate", 20, 90), span("finally", 90, 95)], {
      startedAt: 10,
      endedAt: 95,
    })
    expect(busyWith(waits, call([span("handler", 15, 40), span("wait", 40, 80)])).stretches).toEqual([
      { from: 10, to: 40 },
      { from: 90, to: 95 },
    ])
    expect(worksSince(call([span("handler", 1, 2), span("gate", 2)]))).toBeUndefined()
    expect(worksSince(call([span("handler", 1, 2), span("handler", 2)]))).toBe(2)
  })

  it("are the same in whichever order and however often calls are added", () => {
    const stretch = fc.tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 9 }))
    fc.assert(
      fc.property(fc.array(stretch, { maxLength: 12 }), (list) => {
        const calls = list.map(([from, length]) => call([span("handler", from, from + length)]))
        const { stretches } = busyWith(...calls, ...calls.toReversed(), ...calls)
        for (const [index, { from }] of stretches.entries())
          expect(from).toBeGreaterThan(stretches[index - 1]?.to ?? -1)
        const covered = (time: number) => stretches.some(({ from, to }) => from <= time && time <= to)
        for (let time = 0; time < 70; time++)
          expect(covered(time)).toBe(list.some(([from, length]) => from <= time && time <= from + length))
      }),
    )
  })
})

describe("the folded scale", () => {
  const busy = busyWith(call([span("handler", 0, 3000)]), call([span("handler", 3_603_000, 3_604_000)]))

  it("makes an hour in which nothing runs as short as a moment, also one that lasts until now", () => {
    const scale = new FoldedScale(busy, undefined, 9_000_000)
    expect(scale.folds.map(({ from, to }) => [from, to])).toEqual([
      [3000, 3_603_000],
      [3_604_000, 9_000_000],
    ])
    expect(scale.at(9_000_000)).toBeLessThan(4600)
    expect(scale.at(3_604_000) - scale.at(3_603_000)).toBe(1000)
    expect(scale.foldOf(5000)).toMatchObject({ from: 3000, to: 3_603_000 })
    expect(scale.foldOf(2000)).toBeUndefined()
  })

  it("folds nothing while something runs, nor what is short beside what runs", () => {
    expect(new FoldedScale(busy, 1000, 9_000_000).folds).toEqual([])
    const short = busyWith(call([span("handler", 0, 30_000)]), call([span("handler", 33_000, 60_000)]))
    expect(new FoldedScale(short, undefined, 61_000).folds).toEqual([])
  })

  it("goes from each time to its position, and back, and never backwards", () => {
    const stretch = fc.tuple(fc.integer({ min: 0, max: 1e6 }), fc.integer({ min: 0, max: 5000 }))
    fc.assert(
      fc.property(fc.array(stretch, { maxLength: 8 }), fc.array(fc.integer({ max: 2e6 })), (list, times) => {
        const calls = list.map(([from, length]) => call([span("handler", from, from + length)]))
        const scale = new FoldedScale(busyWith(...calls), undefined, 1.2e6)
        let last = Number.NEGATIVE_INFINITY
        for (const time of times.toSorted((one, other) => one - other)) {
          const at = scale.at(time)
          expect(at).toBeGreaterThanOrEqual(last)
          expect(Math.abs(scale.timeAt(at) - time)).toBeLessThan(0.01 + Math.abs(time) * 1e-9)
          last = at
        }
      }),
    )
  })
})
