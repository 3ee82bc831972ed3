import { describe, expect, it } from "vitest"
import { type AgentToolUpdateCallback, fromCustomTool } from "../../src/custom-tools/index.ts"
import { foreignOwner } from "../../src/custom-tools/loading/isolation.ts"
import type { DeltaEvent, ToolEvent } from "../../src/index.ts"
import { ScriptedHost } from "../../src/testing.ts"
import { deferred, never, turn, until } from "../support/deferred.ts"
import { expectNothingUnhandled } from "../support/unhandled.ts"
import { customTool, eventsOf, executorFor, trusting } from "./tool-runs.ts"

type Update = (update: unknown) => void

const text = (words: string) => ({ type: "text", text: words })
const content = [text("done")]
const isDelta = (event: ToolEvent): event is DeltaEvent => event._tag === "Delta"

/** The deltas of a tool that streams so. */
const deltasOf = async (stream: (onUpdate: Update) => unknown) => {
  const execute = async (_id: unknown, _params: unknown, onUpdate: AgentToolUpdateCallback) => {
    await stream(onUpdate as Update)
    return { content }
  }
  const events = await eventsOf(fromCustomTool(customTool(execute as () => unknown), trusting))
  expect(events.at(-1)).toMatchObject({ _tag: "Completed", content: "done" })
  return events.filter(isDelta).map(({ content, partial }) => ({ content, partial }))
}

describe("updates of a foreign tool", () => {
  expectNothingUnhandled()

  it("are deltas with a structured partial result, in order", async () => {
    const first = { content: [text("Scanning")], details: { phase: "scan" } }
    const deltas = await deltasOf(async (onUpdate) => {
      onUpdate(first)
      await turn()
      onUpdate({ output: "Counting" })
    })
    expect(deltas).toEqual([
      { content: "Scanning", partial: first },
      { content: "Counting", partial: { content: [text("Counting")] } },
    ])
  })

  it("stream what one has more than the one before, and keep all of it in the partial result", async () => {
    const deltas = await deltasOf((onUpdate) => {
      for (const output of ["one\n", "one\ntwo\n", "one\ntwo\n", "three"]) onUpdate({ output })
    })
    expect(deltas.map((delta) => delta.content)).toEqual(["one\n", "two\n", "", "three"])
    expect(deltas[1]!.partial).toEqual({ content: [text("one\ntwo\n")] })
  })

  it("go on from the last text over an update without any", async () => {
    const deltas = await deltasOf((onUpdate) => {
      for (const update of [{ output: "a" }, { details: { progress: 50 } }, { output: "ab" }])
        onUpdate(update)
    })
    expect(deltas.map((delta) => delta.content)).toEqual(["a", "", "b"])
    expect(deltas[1]!.partial).toEqual({ content: [], details: { progress: 50 } })
  })

  it("are made good where they are malformed, and never throw into the tool", async () => {
    const circular: Record<string, unknown> = {}
    circular.self = circular
    const unreadable = {
      get content() {
        throw new Error("no")
      },
    }
    const deltas = await deltasOf((onUpdate) => {
      for (const update of [undefined, null, "bare", 5, circular, unreadable]) onUpdate(update)
    })
    expect(deltas.map((delta) => delta.content)).toEqual(["", "", "bare", "5", '{"self":"[circular]"}', ""])
    expect(JSON.parse(JSON.stringify(deltas))).toEqual(deltas)
  })

  it("reach the host as its own code", async () => {
    const owners: Array<string | undefined> = []
    const execute = (...[, , onUpdate]: Array<unknown>) => {
      ;(onUpdate as Update)("a")
      owners.push(foreignOwner())
      return { content }
    }
    const executor = executorFor(fromCustomTool(customTool(execute), trusting))
    await executor.run({ name: "sample" }, (event) => {
      if (isDelta(event)) owners.push(foreignOwner())
    })
    expect(owners).toEqual([undefined, "sample"])
  })

  it("are bounded by the executor's buffer, the last one kept whole", async () => {
    const execute = async (_id: unknown, _params: unknown, onUpdate: Update) => {
      for (let n = 0; n < 5000; n++) onUpdate({ output: `${n};`, details: { n } })
      return { content }
    }
    const tool = fromCustomTool(customTool(execute as () => unknown), trusting)
    const executor = executorFor(tool, { eventBuffer: 10 })
    executor.enqueue([{ callId: "c", name: "sample" }])
    await until(() => executor.inspect().length === 0)
    const deltas = (await new ScriptedHost(executor).run()).filter(isDelta)
    expect(deltas.length).toBeLessThan(20)
    expect(deltas.map((delta) => delta.content).join("")).toMatch(/^0;1;2;.*4999;$/)
    expect(deltas.at(-1)!.partial).toMatchObject({ details: { n: 4999 } })
  })

  it("are dropped once the tool has answered", async () => {
    const late = deferred<Update>()
    const execute = async (_id: unknown, _params: unknown, onUpdate: Update) => {
      late.resolve(onUpdate)
      return { content }
    }
    const events = await eventsOf(fromCustomTool(customTool(execute as () => unknown), trusting))
    ;(await late.promise)({ output: "late" })
    await turn()
    expect(events.filter(isDelta)).toEqual([])
  })
})

describe("a cancel", () => {
  expectNothingUnhandled()

  /** A call that has begun, its `onUpdate` and what settles its `execute`. */
  const begin = async () => {
    const begun = deferred<{ onUpdate: Update; signal: AbortSignal }>()
    const answer = deferred<unknown>()
    const execute = (...[, , onUpdate, , signal]: Array<unknown>) => {
      begun.resolve({ onUpdate: onUpdate as Update, signal: signal as AbortSignal })
      return answer.promise
    }
    const executor = executorFor(fromCustomTool(customTool(execute), trusting))
    const host = new ScriptedHost(executor)
    const done = host.run([{ callId: "c", name: "sample" }])
    return { ...(await begun.promise), answer, executor, host, done }
  }

  it("aborts the signal and ends the call, whatever the tool does", async () => {
    const { signal, executor, host, done } = await begin()
    executor.cancelCall("c")
    await done
    expect(signal.aborted).toBe(true)
    expect(host.terminal("c")).toMatchObject({ _tag: "Cancelled" })
  })

  it("drops the updates and the result that come after it", async () => {
    const { onUpdate, answer, executor, host, done } = await begin()
    onUpdate({ output: "before" })
    executor.cancelCall("c")
    onUpdate({ output: "after" })
    answer.resolve({ content })
    await done
    await turn()
    expect(host.events.filter(isDelta).map((event) => event.content)).toEqual(["before"])
    expect(host.terminal("c")).toMatchObject({ _tag: "Cancelled", content: "Cancelled\nbefore" })
  })

  it("leaves the failure of a tool that is told of it to nobody", async () => {
    const { answer, executor, host, done } = await begin()
    executor.cancelCall("c")
    answer.reject(new Error("aborted"))
    await done
    await turn()
    expect(host.terminal("c")).toMatchObject({ _tag: "Cancelled" })
  })

  it("is what the time-out of a call does to a tool that hangs", async () => {
    const executor = executorFor(fromCustomTool(customTool(never), trusting), { callTimeout: 5 })
    expect(await executor.run({ name: "sample" })).toMatchObject({
      status: "error",
      content: "Timed out after 5 ms",
    })
  })
})
