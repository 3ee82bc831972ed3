/** Gates that only some people may answer, for the user of an editor. */
import { expect, it } from "vitest"
import { AcpToolHost } from "../../../src/hosts/acp/index.ts"
import { pipeline, Step, type ToolExecutor } from "../../../src/index.ts"
import { executorOf } from "../../support/executor-of.ts"

const owners = new Set(["ann", "bob"])
const plans = {
  pay: pipeline()
    .awaitApproval({ approvers: (by) => owners.has(by) })
    .andThen(() => Step.Output("paid")),
  drop: pipeline()
    .awaitApproval({ quorum: 2 })
    .andThen(() => Step.Output("dropped")),
}

/** An editor whose user always answers the same. */
const host = (executor: ToolExecutor, by: string | undefined, optionId: string) => {
  const client = {
    request: async () => ({ outcome: { outcome: "selected", optionId } }),
    notify: async () => undefined,
  }
  const session = { client, sessionId: "s", capabilities: {} }
  return new AcpToolHost({ ...session, executor, ...(by !== undefined && { by }) } as never)
}

it.each([
  ["ann", "allow_once", "paid", { kind: "user", id: "ann" }],
  ["ann", "reject_once", "Denied by user", { kind: "user", id: "ann" }],
  ["eve", "allow_once", 'eve may not answer "c".', { kind: "user" }],
  ["eve", "reject_once", "Denied by user", { kind: "user" }],
  [undefined, "allow_once", /^Only some people may approve this call/, { kind: "user" }],
])("%s, %s", async (by, option, content, decidedBy) => {
  const result = await host(executorOf(plans), by, option).run({ callId: "c", name: "pay" })
  expect(result).toMatchObject({ content: expect.stringMatching(content), decidedBy })
  expect(result.decidedBy?.id).toBe((decidedBy as { readonly id?: string }).id)
})

it("a gate of several people waits for the others", async () => {
  const executor = executorOf(plans)
  executor.watch({
    decided: ({ verdict, callId }) => {
      if (verdict === "vote") setImmediate(() => executor.approve(callId, { by: "bob" }))
    },
  })
  const result = await host(executor, "ann", "allow_once").run({ callId: "c", name: "drop" })
  expect(result).toMatchObject({ content: "dropped", decidedBy: { approvedBy: ["ann", "bob"] } })
})

it("a name that is none is refused", () => {
  expect(() => host(executorOf(plans), "", "allow_once")).toThrow(TypeError)
})
