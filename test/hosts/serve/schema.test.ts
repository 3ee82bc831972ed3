/** The schema that `stepline serve --schema` prints, held to a session in which every method is used. */
import { PassThrough } from "node:stream"
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import { expect, it } from "vitest"
import type { z } from "zod"
import { methodNames, methodOf } from "../../../src/hosts/serve/methods.ts"
import { type protocol, protocolSchema } from "../../../src/hosts/serve/protocol-schema.ts"
import { ServeHost } from "../../../src/hosts/serve/serve-host.ts"
import { writeFileTool } from "../../../src/impls/index.ts"
import {
  defineTool,
  noIde,
  pipeline,
  Step,
  type ToolEvent,
  ToolExecutor,
  ToolRegistry,
} from "../../../src/index.ts"
import { useTempFolder } from "../../io/temp-folder.ts"
import { never } from "../../support/deferred.ts"

type WireEvent = z.infer<typeof protocol>["event"]
type Tag = ToolEvent["_tag"]
/** The names of what an event tells, without what can be called. */
type Told<E> = { [K in keyof E & string]: E[K] extends (...args: never) => unknown ? never : K }[keyof E &
  string]
type Differing = {
  [T in Tag]: [Told<Extract<ToolEvent, { _tag: T }>>] extends [keyof Extract<WireEvent, { _tag: T }>]
    ? [keyof Extract<WireEvent, { _tag: T }>] extends [Told<Extract<ToolEvent, { _tag: T }>>]
      ? never
      : T
    : T
}[Tag]
/** Does not compile where an event of the types and of the schema differ in a name. */
const differing: ReadonlyArray<Differing> = []

const folder = useTempFolder()

interface Node {
  readonly properties?: Readonly<Record<string, Node>>
  readonly $defs?: Readonly<Record<string, Node>>
  readonly oneOf?: ReadonlyArray<Node>
}

/** The schema, in which an object has no other properties than those that it names. */
const closed = (node: unknown): unknown => {
  if (Array.isArray(node)) return node.map(closed)
  if (typeof node !== "object" || node === null) return node
  const inner = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, closed(value)]))
  return "properties" in node && !("additionalProperties" in node)
    ? { ...inner, additionalProperties: false }
    : inner
}

const schema = closed(protocolSchema()) as Node
const methods = schema.properties!.methods!.properties!
const ajv = new Ajv2020({ strict: false })

const compiled = new Map<Node, ValidateFunction>()

/** What is wrong with a value, by the schema at this place. */
const faultsOf = (place: Node, value: unknown): unknown => {
  const validate = compiled.get(place) ?? ajv.compile({ ...place, $defs: schema.$defs })
  compiled.set(place, validate)
  return validate(value) ? [] : validate.errors
}

it("names each method with its parameters, and each event with what it tells", () => {
  expect(differing).toEqual([])
  expect(Object.keys(methods).sort()).toEqual([...methodNames].sort())
  for (const name of methodNames) {
    const takes = methodOf(name)?.takes
    if (takes === undefined) continue
    expect(Object.keys(methods[name]!.properties!.params!.properties ?? {}).sort()).toEqual([...takes].sort())
  }
})

it("fits a session: what is sent, what is answered, and what is told", async () => {
  const cwd = folder()
  const stage = defineTool({
    name: "stage",
    description: "Stages a change.",
    parameters: { type: "object", properties: {} },
    compose: () =>
      pipeline()
        .andThen(() => Step.Output("would change"))
        .awaitResolve({ label: "Change it" })
        .andThen(() => Step.Output("changed")),
  })
  const ask = defineTool({
    name: "ask",
    description: "Streams, asks its host, and waits.",
    parameters: { type: "object", properties: {} },
    compose: () =>
      pipeline()
        .andThen(() => Step.Delta("asking", { partial: { part: 1 } }))
        .andThen(() => Step.Delegate({ _tag: "Ask", what: "?" }))
        .andThen(() => never()),
  })
  const registry = new ToolRegistry([stage, ask, writeFileTool])
  const input = new PassThrough()
  const answers = new Map<number, (result: Record<string, unknown>) => void>()
  const events: Array<WireEvent> = []
  const listeners = new Set<() => void>()
  const host = new ServeHost({
    version: "0",
    input,
    output: {
      pending: 0,
      onRoom: () => undefined,
      write: (line) => {
        const { id, result, error, params } = JSON.parse(line)
        expect(error).toBeUndefined()
        if (id !== undefined) answers.get(id)!(result)
        else events.push(params.event)
        for (const listener of listeners) listener()
        return true
      },
    },
    open: async () => ({ executor: new ToolExecutor(registry, { cwd, delegates: noIde }), registry }),
    isClientsFault: () => false,
  })
  const running = host.run()
  const used = new Set<string>()
  const send = async (method: string, params: object = {}) => {
    used.add(method)
    const { params: given, result } = methods[method]!.properties!
    expect(faultsOf(given!, params)).toEqual([])
    const id = answers.size + 1
    const answered = new Promise<Record<string, unknown>>((resolve) => answers.set(id, resolve))
    input.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`)
    const answer = await answered
    expect([method, faultsOf(result!, answer)]).toEqual([method, []])
    return answer
  }
  const told = async (tag: Tag, callId?: string) => {
    const found = () =>
      events.find(
        (event) => event._tag === tag && (!callId || (event as { callId?: string }).callId === callId),
      )
    while (found() === undefined) await new Promise<void>((resolve) => listeners.add(resolve))
    return found()!
  }

  await send("initialize", {
    protocolVersion: 1,
    effects: ["Ask"],
    window: 1000,
    options: { approvalTimeout: "1 hour" },
  })
  await send("tools/list")
  const parameters = { type: "object", properties: { text: { type: "string" } } }
  await send("tools/define", { tools: [{ name: "shout", description: "Says it louder.", parameters }] })
  const written = { name: "write_file", params: { path: "a", content: "x" } }
  await send("enqueue", {
    calls: [
      { ...written, callId: "a", decision: "approve" },
      { name: "nothing", callId: "b" },
    ],
  })
  await told("Completed", "a")
  await told("Error", "b")
  await send("changes", { since: 1 })
  await send("undo", { callId: "a" })
  await send("toolChoice")
  await send("resolve", { action: "apply", reason: "It was wrong." })
  await send("enqueueTurn", { calls: [{ name: "shout", callId: "c", params: { text: "hi" } }] })
  await told("AwaitingApproval", "c")
  await send("approve", { callId: "c", params: { text: "hello" }, by: "ann" })
  await told("Delegate", "c")
  await send("respond", { callId: "c", output: "HELLO" })
  await told("Completed", "c")
  await send("enqueue", {
    calls: ["d", "e", "f"].map((callId) => ({ name: "shout", callId, params: {}, lane: callId })),
  })
  for (const callId of ["d", "e", "f"]) await told("AwaitingApproval", callId)
  await send("inspect")
  await send("deny", { callId: "d", reason: "Not now" })
  await send("answer", {
    answers: [
      { callId: "e", deny: true },
      { callId: "f", approve: true },
    ],
  })
  await send("cancel", { callId: "f", reason: "It is late." })
  for (const [tag, callId] of [
    ["Denied", "d"],
    ["Denied", "e"],
    ["Cancelled", "f"],
  ] as const)
    await told(tag, callId)
  await send("enqueue", { calls: [{ name: "ask", callId: "g" }] })
  await told("Delegate", "g")
  await send("respond", { callId: "g" })
  await send("toBackground", { callId: "g" })
  await told("BackgroundStarted", "g")
  await send("tasks/list", { agentId: "main" })
  await send("cancel", { callId: "g" })
  await send("tasks/wait", { taskId: "g" })
  await told("BackgroundCompleted", "g")
  await send("tasks/get", { taskId: "g" })
  await send("tasks/take", { taskId: "g" })
  await send("tasks/take", { taskId: "g" })
  await send("enqueue", { calls: [{ name: "stage", callId: "h" }] })
  await told("ActionPending")
  await send("ack", { seq: 1 })
  await send("shutdown")
  await running

  for (const event of events)
    expect([event._tag, faultsOf(schema.properties!.event!, event)]).toEqual([event._tag, []])
  expect([...used].sort()).toEqual([...methodNames].sort())
  // A gate that is about to expire would take an hour.
  const tags = schema.$defs!.Event!.oneOf!.map(
    ({ properties }) => (properties!._tag as { const?: Tag }).const!,
  )
  expect([...new Set(events.map(({ _tag }) => _tag)), "GateExpiring"].sort()).toEqual(tags.sort())
})
