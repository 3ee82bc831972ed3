import { describe, expect, it } from "vitest"
import { type CallFilter, listCalls, noFilter } from "../../../src/hosts/web/page/calls/listed.ts"
import type { CallRow } from "../../../src/hosts/web/state/page-state.ts"

const row = (key: number, more: Partial<CallRow> = {}): CallRow => ({
  key,
  callId: `c${key}`,
  agentId: "main",
  lane: "main",
  name: "shell",
  title: `Shell: command ${key}`,
  background: false,
  status: "running",
  queuedAt: key,
  spans: [],
  revision: 0,
  ...more,
})

/** The keys of the list, each behind a dot for each call that it is nested in. */
const listed = (calls: ReadonlyArray<CallRow>, filter: Partial<CallFilter> = {}, max = 100) => {
  const { shown, count } = listCalls(calls, { ...noFilter, ...filter }, max)
  return { list: shown.map(({ call, depth }) => ".".repeat(depth) + call.key).join(" "), count }
}

describe("the list of calls", () => {
  it("has the newest call first, and nested ones below theirs in the order in which they were made", () => {
    const calls = [
      row(1),
      row(2, { parentId: "c1" }),
      row(3),
      row(4, { parentId: "c1" }),
      row(5, { parentId: "c2" }),
    ]
    expect(listed(calls)).toEqual({ list: "3 1 .2 ..5 .4", count: 5 })
  })

  it("takes a nested call for one of the last call with that id before it", () => {
    const calls = [
      row(1, { callId: "a" }),
      row(2, { parentId: "a" }),
      row(3, { callId: "a" }),
      row(4, { parentId: "a" }),
    ]
    expect(listed(calls).list).toBe("3 .4 1 .2")
    expect(listed([row(1, { parentId: "gone" })]).list).toBe("1")
  })

  it("is narrowed by every part of the filter, and counts what it would show", () => {
    const calls = [
      row(1, { name: "fetch", title: "Fetch: A.example", status: "complete", endedAt: 5 }),
      row(2, { parentId: "c1", agentId: "b", status: "held" }),
      row(3, { agentId: "b", status: "limited", background: true }),
    ]
    expect(listed(calls, { agent: "b" })).toEqual({ list: "3 2", count: 2 })
    expect(listed(calls, { tool: "fetch" }).list).toBe("1")
    expect(listed(calls, { text: " a.EXAMPLE " }).list).toBe("1")
    expect(listed(calls, { text: "c3" }).list).toBe("3")
    expect(listed(calls, { agent: "b", state: "waiting" }).list).toBe("2")
    expect(listed(calls, { state: "not ended" }).list).toBe("3 2")
    expect(listed(calls, { state: "in the background" }).list).toBe("3")
    expect(listed(calls, { state: "at a limit", tool: "fetch" })).toEqual({ list: "", count: 0 })
  })

  it("ends at the bound, also among nested calls, and goes through a deep nesting", () => {
    const deep = Array.from({ length: 20_000 }, (_, index) =>
      row(index + 1, index === 0 ? {} : { parentId: `c${index}` }),
    )
    expect(listed(deep, {}, 3)).toEqual({ list: "1 .2 ..3", count: 20_000 })
    expect(listCalls(deep, noFilter, 30_000).shown).toHaveLength(20_000)
  })
})
