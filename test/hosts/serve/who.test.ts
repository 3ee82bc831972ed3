/** Who answers a client of `serve`, and many answers at once. */
import { PassThrough } from "node:stream"
import { expect, it } from "vitest"
import { ServeHost } from "../../../src/hosts/serve/serve-host.ts"
import { pipeline, Step, ToolExecutor } from "../../../src/index.ts"
import { until } from "../../support/deferred.ts"
import { registryOf } from "../../support/executor-of.ts"

interface Message {
  readonly id?: number
  readonly result?: object
  readonly error?: { readonly message: string }
  readonly params?: { readonly event: { readonly _tag: string; readonly callId?: string } }
}

const owners = new Set(["ann", "bob"])
const gate = { approvers: (by: string) => owners.has(by), quorum: 2 }
const plans = {
  drop: () =>
    pipeline()
      .awaitApproval(gate)
      .andThen(() => Step.Output("dropped")),
  ask: () => pipeline().andThen(() => Step.Delegate({ _tag: "Ask" })),
}

const serve = () => {
  const messages: Array<Message> = []
  const input = new PassThrough()
  const registry = registryOf(plans)
  const output = {
    write: (text: string) => messages.push(JSON.parse(text)) > 0,
    pending: 0,
    onRoom: () => {},
  }
  const open = async ({ options }: { options: object }) => ({
    executor: new ToolExecutor(registry, options),
    registry,
  })
  const host = new ServeHost({ version: "0", input, output, open, isClientsFault: () => false })
  const down = host.run()
  let ids = 0
  const request = async (method: string, params: object) => {
    const id = ++ids
    input.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`)
    await until(() => messages.some((message) => message.id === id))
    const { result, error } = messages.find((message) => message.id === id)!
    return result ?? error?.message
  }
  const event = async (tag: string, callId: string) => {
    const found = () =>
      messages.find(({ params }) => params?.event._tag === tag && params.event.callId === callId)
    await until(() => found() !== undefined)
    return found()!.params!.event
  }
  const end = () => {
    input.end()
    return down
  }
  return { request, event, end }
}

it("a client of serve says who answers, and is told why an answer does not count", async () => {
  const { request, event, end } = serve()
  await request("initialize", { protocolVersion: 1, effects: ["Ask"] })
  const calls = ["a", "b", "c"].map((callId) => ({ callId, name: "drop", agentId: callId }))
  await request("enqueue", { calls: [...calls, { callId: "d", name: "ask", agentId: "d" }] })
  expect(await event("AwaitingApproval", "a")).toMatchObject({ named: true, quorum: 2 })
  await event("AwaitingApproval", "c")
  await event("Delegate", "d")
  expect(await request("approve", { callId: "a" })).toEqual({
    took: false,
    why: 'Only some people may answer "a": say with `by` who answers.',
  })
  expect(await request("approve", { callId: "a", by: "eve" })).toEqual({
    took: false,
    why: 'eve may not answer "a".',
  })
  expect(await request("approve", { callId: "a", by: "ann" })).toEqual({
    took: true,
    why: "It has 1 of 2 approvals.",
  })
  const list = [
    { callId: "a", approve: true },
    { callId: "b", approve: true },
    { callId: "c", deny: "Not c" },
  ]
  expect(await request("answer", { answers: list, by: "bob" })).toEqual({
    outcomes: [
      { callId: "a", took: true },
      { callId: "b", took: true, why: "It has 1 of 2 approvals." },
      { callId: "c", took: true },
    ],
  })
  expect(await event("Completed", "a")).toMatchObject({ decidedBy: { approvedBy: ["ann", "bob"] } })
  expect(await event("Denied", "c")).toMatchObject({
    content: "Not c",
    decidedBy: { kind: "user", id: "bob" },
  })
  expect(await request("deny", { callId: "b", reason: "No", by: "ann" })).toEqual({ took: true })
  expect(await event("Denied", "b")).toMatchObject({ decidedBy: { id: "ann", reason: "No" } })
  expect(await request("respond", { callId: "d", output: "x", by: "ann" })).toEqual({ took: true })
  expect(await event("Completed", "d")).toMatchObject({ decidedBy: { kind: "user", id: "ann" } })
  expect(await request("deny", { callId: "b", by: "" })).toMatch(/^Expected `by` to be the id of who answers/)
  expect(await request("answer", { answers: [{ callId: "b" }] })).toMatch(/^Expected the answer to `b`/)
  await end()
})
