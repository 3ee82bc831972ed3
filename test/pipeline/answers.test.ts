/** Whatever a host answers, it is told at once whether it counts; what follows of it waits until its code has returned. */
import { describe, expect, it } from "vitest"
import type { AwaitingApprovalEvent, ToolEvent, ToolExecutor } from "../../src/index.ts"
import { turn } from "../support/deferred.ts"
import { type Answer, answers, completed, type Log, next, noting } from "./answer-table.ts"

/** Starts a call and one behind it; gives what the host answers as soon as it is to be given. */
const begin = (answer: Answer, log: Log, told: (give: () => unknown) => void): void => {
  const executor = noting(log)
  let given = false
  const listen = (event: ToolEvent) => {
    log.push(`${"callId" in event ? event.callId : event.actionId} ${event._tag}`)
    if (given || event._tag !== answer.at) return
    given = true
    told(() => answer.give(executor, event))
  }
  const { tool, background = false } = answer
  void executor.run({ callId: "c", name: tool, background }, listen)
  void executor.run({ callId: "next", name: "next" }, listen)
}

/** Gives the answer twice; nothing may run meanwhile. */
const expectCalm = ({ told, again }: Answer, log: Log, give: () => unknown): void => {
  log.length = 0
  expect(give()).toBe(told)
  expect(give()).toBe(again)
  expect(log).toEqual([])
}

describe.each(Object.entries(answers))("%s", (_, answer) => {
  it("is answered at once, and nothing runs inside the host's call", async () => {
    const log: Log = []
    const give = await new Promise<() => unknown>((told) => begin(answer, log, told))
    await turn()
    expectCalm(answer, log, give)
    await turn()
    await turn()
    expect(log).toEqual(answer.follows)
  })

  if (answer.onlyLater) return
  it("is answered at once to a consumer that is being told, and nothing runs inside its call", async () => {
    const log: Log = []
    await new Promise<void>((resolve, reject) => {
      begin(answer, log, (give) => {
        try {
          expectCalm(answer, log, give)
          resolve()
        } catch (error) {
          reject(error)
        }
      })
    })
    await turn()
    await turn()
    for (const step of answer.follows) expect(log).toContain(step)
  })
})

describe.each<[string, (executor: ToolExecutor) => unknown, ReadonlyArray<string>]>([
  [
    "approve",
    (executor) => executor.approve("c"),
    ["beforeCall", "filter", "compose", "c Started", ...completed],
  ],
  ["deny", (executor) => executor.deny("c"), ["c Denied", ...next]],
])("%s of a requested call", (_, give, follows) => {
  it("is answered at once, and nothing runs inside the host's call", async () => {
    const log: Log = []
    const executor = noting(log)
    const listen = (event: ToolEvent) => log.push(`${"callId" in event ? event.callId : ""} ${event._tag}`)
    void executor.run({ callId: "c", name: "gate", decision: "requested" }, listen)
    void executor.run({ callId: "next", name: "next" }, listen)
    await turn()
    log.length = 0
    expect(give(executor)).toBe(true)
    expect(log).toEqual([])
    await turn()
    expect(log).toEqual(follows)
  })
})

/** A preview that is staged and waits. */
const staged = async (log: Log): Promise<ToolExecutor> => {
  const executor = noting(log)
  await executor.run({ callId: "c", name: "staged" })
  expect(executor.agent().pendingActions.hasPending).toBe(true)
  return executor
}

describe("a pending action", () => {
  it.each<[string, (event: AwaitingApprovalEvent) => boolean, ReadonlyArray<string>]>([
    [
      "approved",
      (event) => event.approve(),
      ["after", "finally", "afterCall", "ActionResolved", "Completed"],
    ],
    ["denied", (event) => event.deny(), ["Denied"]],
  ])(
    "that is %s at its gate while it is resolved: nothing runs inside the host's call",
    async (_, give, follows) => {
      const log: Log = []
      const executor = await staged(log)
      const event = await new Promise<AwaitingApprovalEvent>((resolve) => {
        const listen = (event: ToolEvent) => {
          log.push(event._tag)
          if (event._tag === "AwaitingApproval") resolve(event)
        }
        void executor.agent().resolve({ action: "apply", reason: "looks right" }, { onEvent: listen })
      })
      await turn()
      log.length = 0
      expect(give(event)).toBe(true)
      expect(give(event)).toBe(false)
      expect(log).toEqual([])
      await turn()
      expect(log).toEqual(follows)
    },
  )

  it("that is dropped by `clear` is gone at once, and its cleanup runs when the host's code has returned", async () => {
    const log: Log = []
    const executor = await staged(log)
    const actions = executor.agent().pendingActions
    log.length = 0
    actions.clear()
    expect(actions.list()).toEqual([])
    expect(actions.hasPending).toBe(false)
    expect(log).toEqual([])
    await turn()
    expect(log).toEqual(["finally"])
  })

  it("that is resolved runs nothing inside the host's call", async () => {
    const log: Log = []
    const executor = await staged(log)
    log.length = 0
    void executor
      .agent()
      .resolve({ action: "discard", reason: "no" }, { onEvent: (event) => log.push(event._tag) })
    expect(log).toEqual([])
    await turn()
    expect(log).toEqual([
      "beforeCall",
      "filter",
      "Started",
      "finally",
      "afterCall",
      "ActionResolved",
      "Completed",
    ])
  })
})
