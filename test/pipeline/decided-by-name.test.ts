import { describe, expect, it } from "vitest"
import { type Decision, pipeline, Step } from "../../src/index.ts"
import { executorOf } from "../support/executor-of.ts"

const gated = pipeline()
  .awaitApproval()
  .andThen(({ decidedBy }) => Step.Output(`sent for ${decidedBy?.id}`))
const asking = pipeline().andThen(() => Step.Delegate({ _tag: "Ask" }))
const gatedAsking = pipeline()
  .awaitApproval()
  .andThen(() => Step.Delegate({ _tag: "Ask" }))

const staging = pipeline()
  .awaitResolve({ label: "Change" })
  .andThen(() => Step.Output("changed"))

const named = () => {
  const decisions: Array<Decision> = []
  const onDecision = (decision: Decision) => void decisions.push(decision)
  return { executor: executorOf({ gated, asking, gatedAsking, staging }, { onDecision }), decisions }
}

const ann = { kind: "user", id: "ann" }

describe("an answer by somebody who is named", () => {
  it("says who approved, to handlers, results, events and decisions", async () => {
    const { executor, decisions } = named()
    const ends: Array<unknown> = []
    const result = await executor.run({ callId: "c", name: "gated" }, (event) => {
      if (event._tag === "AwaitingApproval") executor.approve("c", { by: "ann", reason: "It is fine." })
      if (event._tag === "Completed") ends.push(event.decidedBy)
    })
    const by = { ...ann, reason: "It is fine." }
    expect(result).toMatchObject({ status: "complete", content: "sent for ann", decidedBy: by })
    expect(ends).toEqual([by])
    expect(decisions).toMatchObject([
      { verdict: "approve", by },
      { verdict: "run", by },
    ])
  })

  it("says who denied, by id or by the event, and leaves the id out where nobody is named", async () => {
    const { executor, decisions } = named()
    const denied = await executor.run({ callId: "c", name: "gated" }, (event) => {
      if (event._tag === "AwaitingApproval") executor.deny("c", "Not today", { by: "ann" })
    })
    expect(denied).toMatchObject({ status: "denied", by: "user", content: "Not today" })
    expect(denied.decidedBy).toEqual({ ...ann, reason: "Not today" })
    expect(decisions).toMatchObject([{ verdict: "deny", by: { ...ann, reason: "Not today" } }])
    const byEvent = await executor.run({ name: "gated" }, (event) => {
      if (event._tag === "AwaitingApproval") event.deny(undefined, { by: "ann" })
    })
    expect(byEvent.decidedBy).toEqual(ann)
    const nobody = await executor.run({ name: "gated" }, (event) => {
      if (event._tag === "AwaitingApproval") event.deny()
    })
    expect(nobody.decidedBy).toEqual({ kind: "user" })
  })

  it("says who approved a requested call, and one whose parameters were edited", async () => {
    const { executor } = named()
    const requested = executor.run({ callId: "r", name: "gated", decision: "requested" }, () => undefined)
    executor.approve("r", { by: "ann" })
    expect(await requested).toMatchObject({ content: "sent for ann", decidedBy: ann })
    const edited = await executor.run({ callId: "e", name: "gated" }, (event) => {
      if (event._tag === "AwaitingApproval") event.approve({ params: { to: "bob" }, by: "ann" })
    })
    expect(edited).toMatchObject({ content: "sent for ann", decidedBy: ann })
  })

  it("says who answered an effect, where no gate was decided", async () => {
    const { executor, decisions } = named()
    const answered = await executor.run({ callId: "c", name: "asking" }, (event) => {
      if (event._tag === "Delegate") executor.respond("c", { output: "yes" }, { by: "ann" })
    })
    expect(answered).toMatchObject({ status: "complete", content: "yes", decidedBy: ann })
    expect(decisions).toMatchObject([{ verdict: "answer", by: ann }, { verdict: "run" }])
    const refused = await executor.run({ callId: "d", name: "asking" }, (event) => {
      if (event._tag === "Delegate") executor.respond("d", { error: "no" }, { by: "ann" })
    })
    expect(refused).toMatchObject({ status: "error", decidedBy: ann })
    const gate = await executor.run({ callId: "e", name: "gatedAsking" }, (event) => {
      if (event._tag === "AwaitingApproval") event.approve({ by: "bob" })
      if (event._tag === "Delegate") executor.respond("e", { output: "yes" }, { by: "ann" })
    })
    expect(gate.decidedBy).toEqual({ kind: "user", id: "bob" })
  })

  it("is refused for a name that is none, and decides nothing", async () => {
    const { executor } = named()
    const tried: Array<unknown> = []
    const trying = (answer: () => unknown) => {
      try {
        tried.push(answer())
      } catch (error) {
        tried.push(error)
      }
    }
    const result = await executor.run({ callId: "c", name: "gatedAsking" }, (event) => {
      if (event._tag === "AwaitingApproval") {
        trying(() => executor.approve("c", { by: "" }))
        trying(() => event.approve({ by: 5 as never }))
        trying(() => executor.deny("c", "no", { by: null as never }))
        trying(() => executor.deny("c", "no", "ann" as never))
        event.approve()
      }
      if (event._tag === "Delegate") {
        trying(() => executor.respond("c", { output: "x" }, { by: ["ann"] as never }))
        event.succeed("done")
      }
    })
    expect(result).toMatchObject({ status: "complete", content: "done" })
    const expected = "Expected `by` to be the id of who answers, a string that is not empty, got"
    expect(tried).toEqual([
      new TypeError(`${expected} \`\` (string)`),
      new TypeError(`${expected} \`5\` (number)`),
      new TypeError(`${expected} \`null\` (null)`),
      new TypeError("Expected the options of `deny` to be an object with by, got `ann` (string)"),
      new TypeError(`${expected} \`ann\` (object)`),
    ])
  })

  it("says who applied or discarded a preview, and not who staged it", async () => {
    const { executor, decisions } = named()
    const agent = executor.agent("main")
    const resolved: Array<unknown> = []
    executor.watch({ event: (event) => event._tag === "ActionResolved" && resolved.push(event.decidedBy) })
    for (const [action, by] of [
      ["apply", "ann"],
      ["discard", "bob"],
      ["apply", undefined],
    ] as const) {
      await executor.run({ name: "staging" })
      decisions.length = 0
      const request = { action, reason: "so" }
      const result = await agent.resolve(request, by === undefined ? {} : { by })
      const who = by === undefined ? undefined : { kind: "user", id: by }
      expect(result.decidedBy).toEqual(who)
      expect(decisions).toMatchObject([{ verdict: "run", ...(who && { by: who }) }])
      expect(resolved.splice(0)).toEqual([who])
    }
    expect(() => agent.resolve({ action: "apply", reason: "so" }, { by: "" })).toThrow(
      "Expected `by` to be the id of who answers, a string that is not empty, got `` (string)",
    )
  })
})
