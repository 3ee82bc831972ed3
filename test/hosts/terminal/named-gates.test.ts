// @module-tag waits
/** Gates that only some people may answer, in a session of one of them. */
import { expect, test } from "vitest"
import { pipeline, Step, ToolExecutor } from "../../../src/index.ts"
import { registryOf } from "../../support/executor-of.ts"
import { SessionTerminal } from "./session-terminal.ts"

const owners = new Set(["ann", "bob"])
const ran = (what: string) => () => Step.Output(what)
const plans = {
  drop: () =>
    pipeline()
      .awaitApproval({ approvers: (by) => owners.has(by), quorum: 2 })
      .andThen(ran("dropped")),
  pay: () =>
    pipeline()
      .awaitApproval({ approvers: (by) => owners.has(by) })
      .andThen(ran("paid")),
  note: () => pipeline().awaitApproval().andThen(ran("noted")),
}

const open = (by?: string) => {
  const executor = new ToolExecutor(registryOf(plans))
  const terminal = new SessionTerminal({ executor, ...(by !== undefined && { by }) })
  const enqueue = (callId: string, name: string) => executor.enqueue([{ callId, name, agentId: callId }])
  return { executor, terminal, enqueue }
}

test("y answers under the user's name", async () => {
  const { executor, terminal, enqueue } = open("ann")
  await using _ = terminal
  const deciders: Array<unknown> = []
  executor.watch({ decided: ({ by }) => deciders.push(by?.id) })
  enqueue("a", "pay")
  await terminal.see(/approvals: only some people may answer\n.*\n.*\[y\]es/)
  terminal.type("y")
  await terminal.see("paid")
  expect(deciders).toEqual(["ann", "ann"])
})

test("an answer that does not count says why, and the call goes on waiting behind the others", async () => {
  const { executor, terminal, enqueue } = open("eve")
  await using _ = terminal
  enqueue("a", "pay")
  await terminal.see("[y]es")
  enqueue("b", "note")
  await terminal.see("1 more to decide after this")
  terminal.type("y")
  await terminal.see(/eve may not answer "a"\.\n\? a pay\(\) waits\n\? b note\(\)\n.*\[y\]es/)
  terminal.type("y")
  await terminal.see("noted")
  await terminal.see(/\? a pay\(\)\n[\s\S]*\[y\]es/)
  terminal.type("n\r")
  await terminal.see(/eve may not answer "a"\.[\s\S]*eve may not answer "a"\./)
  expect(executor.inspect()).toMatchObject([{ callId: "a", state: "waiting" }])
  terminal.type("\u0003")
  await terminal.see("Cancelled by user")
})

test("a gate of several people shows who has approved, here and elsewhere", async () => {
  const { executor, terminal, enqueue } = open("ann")
  await using _ = terminal
  enqueue("a", "drop")
  await terminal.see(/approvals: 0 of 2\n.*\n.*\[y\]es \[n\]o \[a\]lways\n/)
  terminal.type("y")
  await terminal.see("Your approval counts. It has 1 of 2 approvals.")
  await terminal.see(/approvals: 1 of 2, by ann\n.*\n.*\[y\]es/)
  terminal.type("y")
  await terminal.see('ann has approved "a" already. It has 1 of 2 approvals.')
  expect(executor.approve("a", { by: "bob" })).toBe(true)
  await terminal.see("dropped")
})

test("without a name such a gate says what is missing, and Ctrl-C denies only what it may", async () => {
  const { executor, terminal, enqueue } = open()
  await using _ = terminal
  enqueue("a", "pay")
  enqueue("b", "note")
  await terminal.see("1 more to decide after this")
  terminal.type("\u0003")
  await terminal.see('Only some people may answer "a": say with `by` who answers.')
  await terminal.see("⊘ b note()")
  expect(executor.inspect()).toMatchObject([{ callId: "a" }])
})
