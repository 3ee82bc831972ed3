import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  type CallFilter,
  type Hooks,
  pipeline,
  Step,
  type Tool,
  type ToolCallInput,
  ToolExecutor,
  ToolFilters,
  type ToolPipeline,
} from "../../../src/index.ts"
import { executorOf, registryOf, toolOf } from "../../support/executor-of.ts"
import { gatedTool } from "../../support/gated-tool.ts"

const parameters = {
  type: "object",
  properties: { text: { type: "string" }, times: { type: "number" } },
  required: ["text"],
}
const named = (plan: ToolPipeline): Tool => toolOf("tool", plan, { parameters, primaryParam: "text" })
const gate = pipeline().awaitApproval()
const call = { name: "tool", params: { text: "x" } }

describe("decide", () => {
  it("says what would run, with the parameters that it would have, and who says so", async () => {
    expect(
      await executorOf({ tool: named(pipeline()) }).decide({ ...call, params: { text: "x", times: "3" } }),
    ).toEqual({
      verdict: "run",
      params: { text: "x", times: 3 },
    })
    const filters = ToolFilters.compile({ tool: { allow: ["^x$"] } }, { source: "rules.toml" })
    const allowed = executorOf({ tool: named(gate) }, { filters })
    expect(await allowed.decide(call)).toEqual({
      verdict: "run",
      by: {
        kind: "rule",
        rule: "^x$",
        source: "rules.toml",
        command: "x",
        reason: "The allow rule `^x$` matches `x`.",
      },
      params: { text: "x" },
    })
    expect(await executorOf({ tool: named(gate) }).decide({ ...call, decision: "approve" })).toMatchObject({
      verdict: "run",
      by: { kind: "call" },
    })
  })

  it("says why a gate would ask", async () => {
    const asking = executorOf({ tool: named(gate) })
    const reason = "There is no rule for the tool `tool`."
    expect(await asking.decide(call)).toEqual({ verdict: "ask", reason, params: { text: "x" } })
    const person = executorOf({ tool: named(pipeline().awaitApproval({ person: true })) })
    expect(await person.decide({ ...call, decision: "approve" })).toMatchObject({
      verdict: "ask",
      reason: "Only a person passes this gate.",
    })
    expect(
      await executorOf({ tool: named(pipeline()) }).decide({ ...call, decision: "requested" }),
    ).toMatchObject({
      verdict: "ask",
    })
  })

  it("says who would deny it, and what the model would be told", async () => {
    const filters = ToolFilters.compile({ tool: { deny: ["^x$"] } })
    const byRule = await executorOf({ tool: named(pipeline()) }, { filters }).decide(call)
    expect(byRule).toMatchObject({
      verdict: "deny",
      reason: "Denied by policy: a rule forbids this call of tool",
      by: { kind: "rule", rule: "^x$" },
    })
    const hooks: Hooks = { beforeCall: () => ({ block: true, reason: "closed" }) }
    expect(await executorOf({ tool: named(pipeline()) }, { hooks }).decide(call)).toMatchObject({
      verdict: "deny",
      reason: "closed",
      by: { kind: "hook", reason: "closed" },
    })
    expect(await executorOf({ tool: named(pipeline()) }).decide({ ...call, decision: "deny" })).toMatchObject(
      {
        verdict: "deny",
        by: { kind: "call" },
      },
    )
  })

  it("says what could not run", async () => {
    const executor = executorOf({
      tool: named(pipeline()),
      broken: () => {
        throw new Error("no plan")
      },
      front: toolOf("front", pipeline(), { background: false }),
    })
    expect(await executor.decide({ name: "tool", params: { times: 1 } })).toMatchObject({
      verdict: "invalid",
      params: { times: 1 },
    })
    for (const [input, reason] of [
      [{ name: "nobody" }, /^Unknown tool "nobody"/],
      [{ name: "broken" }, /^no plan$/],
      [{ name: "front", background: true }, /cannot run in the background/],
    ] as const) {
      expect(await executor.decide(input)).toMatchObject({
        verdict: "invalid",
        reason: expect.stringMatching(reason),
      })
    }
  })

  it("runs nothing, tells nothing and takes no id", async () => {
    const { plan, log } = gatedTool()
    const executor = executorOf({ write: plan })
    await executor.decide({ callId: "c", name: "write", decision: "approve" })
    expect(log).toEqual([])
    expect(executor.inspect()).toEqual([])
    expect(await executor.next()).toBeUndefined()
    expect(await executor.run({ callId: "c", name: "write", decision: "approve" })).toMatchObject({
      status: "complete",
    })
  })

  it("knows an id that is in use", async () => {
    const executor = executorOf({ tool: named(gate) })
    executor.enqueue([{ callId: "c", ...call }])
    expect(await executor.decide({ callId: "c", ...call })).toMatchObject({
      verdict: "invalid",
      reason: 'Call id "c" is in use. Use a new id for every call.',
    })
  })

  it("looks at the gates of what a `resolve` would apply", async () => {
    const plan = pipeline()
      .andThen(() => Step.Output("would change"))
      .awaitResolve({ label: "Change it" })
      .awaitApproval()
    const filters = ToolFilters.compile({ tool: { allow: ["^y$"] } })
    const executor = executorOf({ tool: named(plan) }, { filters })
    const resolving = (action: string) => ({ name: "resolve", params: { action, reason: "why" } })
    for (const [text, verdict] of [
      ["x", "ask"],
      ["y", "run"],
    ] as const) {
      await executor.run({ name: "tool", params: { text } })
      expect((await executor.decide(resolving("apply"))).verdict).toBe(verdict)
      expect((await executor.decide(resolving("discard"))).verdict).toBe("run")
    }
  })

  it("rejects after shutdown, and for what is no call", async () => {
    const executor = executorOf({ tool: named(gate) })
    await expect(executor.decide({} as ToolCallInput)).rejects.toThrow("Expected `name` of a call")
    await executor.shutdown()
    await expect(executor.decide(call)).rejects.toThrow("The executor was shut down")
  })
})

const part = fc.constantFrom("handler", "gate", "gate", "person", "resolve", "finally")
const built = (parts: ReadonlyArray<string>): ToolPipeline =>
  parts.reduce((plan: ToolPipeline, kind) => {
    if (kind === "gate") return plan.awaitApproval()
    if (kind === "person") return plan.awaitApproval({ person: true })
    if (kind === "resolve") return plan.awaitResolve({ label: "later" })
    if (kind === "finally") return plan.finally(() => Step.Continue)
    return plan.andThen(() => Step.Continue)
  }, pipeline())

const patterns = fc.array(fc.constantFrom("a", "^b", "c$", "."), { maxLength: 2 })
const hook = fc.constantFrom<NonNullable<Hooks["beforeCall"]> | undefined>(
  undefined,
  undefined,
  undefined,
  () => undefined,
  ({ params }) => ({ params: { ...(params as object), text: "changed" } }),
  () => ({ params: {} }),
  () => ({ block: true, reason: "closed" }),
)
const filter = fc.oneof(
  fc.constant(undefined),
  fc
    .oneof(fc.record({ allow: patterns, deny: patterns }), fc.record({ allow: fc.constant([".", "^$"]) }))
    .map((rules): CallFilter => ToolFilters.compile({ tool: rules }, { source: "some" })),
)
const input = fc.record({
  name: fc.constantFrom("tool", "tool", "tool", "nobody"),
  params: fc.constantFrom<unknown>(
    { text: "a" },
    { text: "bc" },
    { text: "" },
    { text: "c", times: "2" },
    { text: "c", background: true },
    {},
    "no object",
  ),
  decision: fc.constantFrom("pending" as const, "approve" as const, "deny" as const),
  background: fc.boolean(),
})

it("what `decide` says is what `run` then does", async () => {
  const seen = new Set<string>()
  const property = fc.asyncProperty(
    fc.array(part, { maxLength: 4 }),
    filter,
    hook,
    input,
    async (parts, filters, beforeCall, asked) => {
      const options = { filters, hooks: beforeCall === undefined ? {} : { beforeCall } }
      await using executor = new ToolExecutor(registryOf({ tool: named(built(parts)) }), options)
      const decision = await executor.decide(asked)
      seen.add(`${decision.verdict} ${decision.by?.kind ?? ""}`)
      let because: string | undefined
      let params: unknown
      const result = await executor.run(asked, (event) => {
        if (event._tag === "Started") params = event.params
        if (event._tag !== "AwaitingApproval") return
        because ??= event.because
        event.approve()
      })
      const { verdict, reason, by } = decision
      expect(verdict === "ask").toBe(because !== undefined)
      expect(verdict === "deny").toBe(result.status === "denied")
      expect(verdict === "invalid").toBe(result.status === "error")
      if (verdict === "ask") expect(reason).toBe(because)
      else if (verdict !== "run") expect(reason).toBe(result.content)
      if (verdict === "deny") expect(by).toEqual(result.decidedBy)
      if (verdict === "run" && result.status === "complete") expect(by).toEqual(result.decidedBy)
      if (verdict === "run" || verdict === "ask") expect(decision.params).toEqual(params)
    },
  )
  await fc.assert(property, { numRuns: 1500 })
  expect([...seen].sort()).toEqual([
    "ask ",
    "deny call",
    "deny hook",
    "deny rule",
    "invalid ",
    "run ",
    "run call",
    "run rule",
  ])
})
