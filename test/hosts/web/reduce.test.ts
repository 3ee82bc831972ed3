import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { ChangeLog } from "../../../src/hosts/web/server/change-log.ts"
import {
  type CallRow,
  emptyState,
  type PageState,
  plainState,
  readState,
} from "../../../src/hosts/web/state/page-state.ts"
import { type Change, reduce, reduceOwn } from "../../../src/hosts/web/state/reduce.ts"

const call: CallRow = {
  key: 1,
  callId: "c",
  agentId: "main",
  lane: "main",
  name: "shell",
  title: "Shell: ls",
  background: false,
  status: "queued",
  queuedAt: 10,
  spans: [],
  revision: 0,
}

const start = emptyState({ title: "t", calls: false })

const reached = (...changes: ReadonlyArray<Change>) => reduce(start, [{ _tag: "Queued", call }, ...changes])

const began = (index: number, kind: "handler" | "gate", at: number): Change => ({
  _tag: "SpanBegan",
  key: 1,
  index,
  kind,
  name: `${kind} ${index}`,
  at,
})

describe("the page's state", () => {
  it("follows a call from its queue to its end", () => {
    const state = reached(
      { _tag: "Started", key: 1, at: 20, title: "Shell: ls -l" },
      began(0, "handler", 20),
      { _tag: "SpanEnded", key: 1, index: 0, at: 30, failed: true },
      { _tag: "Ended", key: 1, at: 31, status: "error" },
    )
    expect(state.calls.get(1)).toEqual({
      ...call,
      title: "Shell: ls -l",
      status: "error",
      startedAt: 20,
      endedAt: 31,
      spans: [{ kind: "handler", name: "handler 0", from: 20, to: 30, failed: true }],
      revision: 4,
    })
  })

  it("names the limit that a call waits at, until the call starts", () => {
    const waits = reached({ _tag: "Limited", key: 1, limit: "at most 1 at once for shell", at: 15 })
    expect(waits.calls.get(1)).toMatchObject({
      status: "limited",
      limit: "at most 1 at once for shell",
      limitedAt: 15,
    })
    const started = reduce(waits, [{ _tag: "Started", key: 1, at: 20, title: "Shell: ls" }])
    expect(started.calls.get(1)).toMatchObject({ status: "running", startedAt: 20 })
  })

  it("calls a call waiting while a gate of it is open, and ends with it what is open", () => {
    const waits = reached(
      { _tag: "Started", key: 1, at: 20, title: "" },
      began(0, "handler", 20),
      began(1, "gate", 25),
    )
    expect(waits.calls.get(1)?.status).toBe("waiting")
    const runs = reduce(waits, [{ _tag: "SpanEnded", key: 1, index: 1, at: 40 }])
    expect(runs.calls.get(1)?.status).toBe("running")
    const over = reduce(waits, [{ _tag: "Ended", key: 1, at: 50, status: "cancelled" }])
    expect(over.calls.get(1)?.spans.map(({ to }) => to)).toEqual([50, 50])
    expect(reduce(over, [began(2, "gate", 60)]).calls.get(1)?.status).toBe("cancelled")
  })

  it("forgets questions and previews that are over, and results that were taken", () => {
    const question = { id: "1.1", key: 1, agentId: "main", name: "shell", title: "", askedAt: 5 }
    const action = { actionId: "a", agentId: "main", label: "Rename", sourceToolName: "ast_edit", at: 6 }
    const open = reached(
      { _tag: "Asked", question },
      { _tag: "Staged", action },
      { _tag: "StagedBy", actionId: "a", key: 1 },
      { _tag: "Backgrounded", key: 1 },
      { _tag: "Ended", key: 1, at: 9, status: "complete", kept: true },
    )
    expect([...open.questions.values()]).toEqual([question])
    expect([...open.actions.values()]).toEqual([{ ...action, key: 1 }])
    expect(open.calls.get(1)).toMatchObject({ background: true, kept: true })
    const over = reduce(open, [
      { _tag: "Answered", id: "1.1" },
      { _tag: "Resolved", actionId: "a" },
      { _tag: "Forgotten", key: 1 },
    ])
    expect([over.questions.size, over.actions.size, over.calls.get(1)?.kept]).toEqual([0, 0, undefined])
  })

  it("leaves the state before as it was, and what was not changed where it is", () => {
    const before = reached()
    const next = reduce(before, [{ _tag: "Touched", keys: [1, 7] }])
    expect([before.calls.get(1)?.revision, next.calls.get(1)?.revision]).toEqual([0, 1])
    expect(next.questions).toBe(before.questions)
    expect(reduce(before, [])).toBe(before)
    expect(reduce(next, [{ _tag: "Dropped", keys: [1] }, { _tag: "ShutDown" }])).toMatchObject({
      ended: true,
      calls: new Map(),
    })
  })

  it("is the same for whoever changes it in place, and for a page that is told of it", () => {
    const key = fc.integer({ min: 1, max: 4 })
    const at = fc.integer({ min: 1, max: 99 })
    const index = fc.integer({ min: 0, max: 2 })
    const of = <Tag extends Change["_tag"]>(_tag: Tag) => ({ _tag: fc.constant(_tag) })
    const change: fc.Arbitrary<Change | "pause"> = fc.oneof(
      fc.constant("pause" as const),
      key.map((each): Change => ({ _tag: "Queued", call: { ...call, key: each } })),
      fc.record({ ...of("Started"), key, at, title: fc.string() }),
      fc.record({
        ...of("SpanBegan"),
        key,
        index,
        kind: fc.constantFrom("handler", "gate"),
        name: fc.constant("part"),
        at,
      }),
      fc.record({ ...of("SpanEnded"), key, index, at }),
      fc.record({
        ...of("Ended"),
        key,
        at,
        status: fc.constantFrom("complete", "denied"),
        kept: fc.constant(true),
      }),
      fc.record({ ...of("Forgotten"), key }),
      fc.record({ ...of("Backgrounded"), key }),
      fc.record({ ...of("Touched"), keys: fc.array(key, { maxLength: 2 }) }),
      fc.record({ ...of("Dropped"), keys: fc.array(key, { maxLength: 1 }) }),
    )
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), (given) => {
        const log = new ChangeLog(start.info)
        const stop = log.onNews(() => {})
        let place: number | undefined
        let page = start
        let copied = start
        let own = emptyState(start.info)
        const read = () => {
          for (let next = log.after(place); next !== undefined; next = log.after(place)) {
            place = next.number
            const told = JSON.parse(next.json)
            page = next.event === "state" ? readState(told) : reduce(page, told)
          }
        }
        read()
        // As they are told: a call has one place in the order of enqueueing.
        const seen = new Set<number>()
        for (const each of given) {
          if (each === "pause") {
            log.flush()
            read()
            continue
          }
          if (each._tag === "Queued" && seen.has(each.call.key)) continue
          // The parts of a bar begin in their order.
          if (each._tag === "SpanBegan" && each.index > (copied.calls.get(each.key)?.spans.length ?? 0))
            continue
          if (each._tag === "Queued") seen.add(each.call.key)
          log.add(each)
          const before = copied
          const wire = JSON.stringify(plainState(before))
          copied = reduce(before, [each])
          expect(JSON.stringify(plainState(before))).toBe(wire)
          own = reduceOwn(own, [each])
        }
        log.flush()
        read()
        stop()
        expect(own).toEqual(copied)
        const rows = (state: PageState) => [...state.calls.values()].map(({ revision: _, ...row }) => row)
        expect(rows(log.current)).toEqual(rows(copied))
        expect(page).toEqual(log.current)
      }),
    )
  })

  it("is the same on the other end of the wire", () => {
    const state = reached(began(0, "handler", 20))
    expect(readState(JSON.parse(JSON.stringify(plainState(state))))).toEqual(state)
  })
})
