import { describe, expect, it } from "vitest"
import type { ChangeKeeper, KeptChange } from "../../src/index.ts"
import { RecordedChanges } from "../../src/undo/recorded-changes.ts"

const keeper: ChangeKeeper = {
  plan: async () => ({ id: undefined, changes: [], left: [], preview: "" }),
  apply: async () => undefined,
  discard: async () => undefined,
}

const change = (path: string): KeptChange => ({ path, what: "changed", kind: "file", kept: {} })

const callOf = (callId: string, turnKey: object = {}) => ({
  key: {},
  turnKey,
  agentId: "main",
  callId,
  appliedBy: callId,
  name: "tool",
})

const bounds = { maxBytes: 1, maxAge: 1000 }

describe("recorded changes", () => {
  it("are the latest 10,000 paths at most, and all of the latest call", () => {
    const changes = new RecordedChanges(bounds, () => 0)
    for (let i = 0; i < 50_000; i++) changes.add(callOf(`call ${i}`), keeper, [change(`${i}`)])
    const kept = changes.list()
    expect(kept.length).toBeLessThanOrEqual(10_000)
    expect(kept.length).toBeGreaterThan(8_000)
    expect(kept.at(-1)).toMatchObject({ callId: "call 49999" })
    expect(() => changes.select("main", { callId: kept[0]!.callId })).not.toThrow()
    const dropped = `call ${50_000 - kept.length - 1}`
    expect(() => changes.select("main", { callId: dropped })).toThrow(
      `What call "${dropped}" changed was dropped: it is older or more than what is kept.`,
    )
    const many = Array.from({ length: 20_000 }, (_, i) => change(`many ${i}`))
    changes.add(callOf("many"), keeper, many)
    expect(changes.list().map(({ callId, paths }) => [callId, paths.length])).toEqual([["many", 20_000]])
  })

  it("are dropped when they are too old", () => {
    let now = 0
    const changes = new RecordedChanges(bounds, () => now)
    changes.add(callOf("first"), keeper, [change("a")])
    now = 500
    changes.add(callOf("second"), keeper, [change("a")])
    now = 1001
    expect(changes.list().map(({ callId }) => callId)).toEqual(["second"])
    expect(changes.list({ since: new Date(501) })).toEqual([])
  })

  it("of earlier executors come first, with what was taken back of them", () => {
    const changes = new RecordedChanges(bounds, () => 2)
    changes.add(callOf("now"), keeper, [change("a")])
    const earlier = (callId: string, undoes?: ReadonlyArray<string>) => {
      const { key: _, turnKey: __, ...call } = callOf(`1-00000000:${callId}`)
      return {
        ...call,
        turn: 3,
        at: 1,
        keeper,
        changes: [change("a")],
        unknown: [],
        ...(undoes && { undoes }),
      }
    }
    changes.restore([earlier("a"), earlier("b"), earlier("undo", ["1-00000000:a"])])
    expect(changes.list().map(({ callId, turn, undoneBy }) => [callId, turn, undoneBy])).toEqual([
      ["1-00000000:a", 3, "1-00000000:undo"],
      ["1-00000000:b", 3, undefined],
      ["1-00000000:undo", 3, undefined],
      ["now", 1, undefined],
    ])
    expect(changes.select("main", { callId: "b" })).toMatchObject([{ callId: "1-00000000:b" }])
    changes.add(callOf("next"), keeper, [change("a")])
    expect(changes.list().at(-1)).toMatchObject({ callId: "next", turn: 4 })
  })
})
