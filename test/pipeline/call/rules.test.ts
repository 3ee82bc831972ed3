import { describe, expect, it } from "vitest"
import { type CallFilter, pipeline, Step, type ToolCallInput, ToolFilters } from "../../../src/index.ts"
import { ScriptedHost } from "../../../src/testing.ts"
import { turn } from "../../support/deferred.ts"
import { executorOf, toolOf } from "../../support/executor-of.ts"
import { gatedTool } from "../../support/gated-tool.ts"

describe("rules", () => {
  const rules = (answer: (params: unknown) => "approve" | "deny" | undefined): CallFilter => ({
    evaluate: (_, params) => answer(params),
  })
  const byPath = rules((params) => (params as { rule?: "approve" | "deny" }).rule)

  it("that allow pass the gate without asking the host", async () => {
    const { plan, log } = gatedTool()
    const host = new ScriptedHost(executorOf({ write: plan }, { filters: byPath }))
    await host.run([{ callId: "c", name: "write", params: { rule: "approve" } }])
    expect(host.tags("c")).toEqual(["Started", "Completed"])
    expect(log).toEqual(["before", "after", "closed"])
  })

  it("that say nothing leave the gate to the host", async () => {
    const { plan } = gatedTool()
    const host = new ScriptedHost(executorOf({ write: plan }, { filters: byPath }))
    await host.run([{ callId: "c", name: "write" }])
    expect(host.tags("c")).toEqual(["Started", "AwaitingApproval", "Completed"])
  })

  it.each<[string, Partial<ToolCallInput>]>([
    ["pending", {}],
    ["pre-approved", { decision: "approve" }],
    ["background", { background: true }],
  ])("that deny end a %s call before anything of it is composed or run", async (_, call) => {
    const log: Array<string> = []
    const executor = executorOf(
      {
        write: () => {
          log.push("composed")
          return pipeline().finally(() => {
            log.push("cleaned")
            return Step.Continue
          })
        },
      },
      { filters: byPath },
    )
    const events = await new ScriptedHost(executor).run([
      { callId: "c", name: "write", params: { rule: "deny" }, ...call },
    ])
    expect(events).toMatchObject([
      { _tag: "Denied", by: "policy", content: expect.stringContaining("policy") },
    ])
    expect(log).toEqual([])
    expect(executor.tasks.list()).toEqual([])
  })

  it("that deny hold for a tool that has no gate", async () => {
    const host = new ScriptedHost(executorOf({ tool: pipeline() }, { filters: byPath }))
    await host.run([{ callId: "c", name: "tool", params: { rule: "deny" } }])
    expect(host.tags("c")).toEqual(["Denied"])
  })

  it("that deny hold for a requested call that the host approved", async () => {
    const executor = executorOf({ tool: pipeline() }, { filters: byPath })
    executor.enqueue([{ callId: "c", name: "tool", params: { rule: "deny" }, decision: "requested" }])
    await turn()
    executor.approve("c")
    expect(await new ScriptedHost(executor).run()).toMatchObject([{ _tag: "Denied", by: "policy" }])
  })

  it("that allow announce a background call where its gate is passed", async () => {
    const plan = pipeline()
      .andThen(() => Step.Delta("before"))
      .awaitApproval()
      .andThen(() => Step.Delta("after"))
    const host = new ScriptedHost(executorOf({ write: plan }, { filters: byPath }))
    await host.run([{ callId: "c", name: "write", params: { rule: "approve" }, background: true }])
    expect(host.tags("c")).toEqual(["Started", "Delta", "BackgroundStarted", "Delta", "BackgroundCompleted"])
  })

  it("are asked about the tool by name and primary parameter", async () => {
    const seen: Array<unknown> = []
    const filters: CallFilter = {
      evaluate: ({ name, primaryParam, primaryKind }, params) => {
        seen.push({ name, primaryParam, primaryKind, params })
        return undefined
      },
    }
    await new ScriptedHost(executorOf({ tool: pipeline() }, { filters })).run([
      { name: "tool", params: { path: "a" } },
    ])
    expect(seen[0]).toEqual({
      name: "tool",
      primaryParam: undefined,
      primaryKind: "text",
      params: { path: "a" },
    })
  })
})

describe("approve({ remember: true })", () => {
  const remembering = () => {
    const remembered: Array<unknown> = []
    const filters: CallFilter = {
      evaluate: (_, params) =>
        remembered.includes((params as { path: string }).path) ? "approve" : undefined,
      remember: ({ name }, params) => {
        remembered.push(name, (params as { path: string }).path)
        return true
      },
    }
    return { remembered, filters }
  }

  it("adds a rule that fits the call: the next one like it is not asked", async () => {
    const { remembered, filters } = remembering()
    const { plan } = gatedTool()
    const host = new ScriptedHost(executorOf({ write: plan }, { filters }), { gate: { remember: true } })
    await host.run([
      { callId: "a", name: "write", params: { path: "x" } },
      { callId: "b", name: "write", params: { path: "x" } },
    ])
    expect(remembered).toEqual(["write", "x"])
    expect(host.tags("a")).toContain("AwaitingApproval")
    expect(host.tags("b")).not.toContain("AwaitingApproval")
  })

  it("adds none for an approval without it", async () => {
    const { remembered, filters } = remembering()
    const { plan } = gatedTool()
    await new ScriptedHost(executorOf({ write: plan }, { filters })).run([
      { name: "write", params: { path: "x" } },
    ])
    expect(remembered).toEqual([])
  })

  it("fits the edited parameters of an edited approval", async () => {
    const { remembered, filters } = remembering()
    const { plan } = gatedTool()
    const host = new ScriptedHost(executorOf({ write: plan }, { filters }), {
      gate: { params: { path: "y" }, remember: true },
    })
    await host.run([{ name: "write", params: { path: "x" } }])
    expect(remembered).toEqual(["write", "y"])
  })

  it("works for a requested call", async () => {
    const { remembered, filters } = remembering()
    const { plan } = gatedTool()
    const executor = executorOf({ write: plan }, { filters })
    executor.enqueue([{ callId: "c", name: "write", params: { path: "x" }, decision: "requested" }])
    await turn()
    executor.approve("c", { remember: true })
    await new ScriptedHost(executor).run()
    expect(remembered).toEqual(["write", "x"])
  })
})

describe("what an approval remembers", () => {
  const parameters = { type: "object", properties: { times: { type: "string" } }, required: ["times"] }
  const write = toolOf("write", pipeline().awaitApproval(), { parameters, primaryParam: "times" })

  it("is what then runs: the edit as it was coerced", async () => {
    const filters = ToolFilters.empty()
    const executor = executorOf({ write }, { filters })
    const host = new ScriptedHost(executor, { gate: { params: { times: 3 }, remember: true } })
    await host.run([{ callId: "c", name: "write", params: { times: "1" } }])
    expect(host.terminal("c")).toMatchObject({ _tag: "Completed", editedParams: { times: "3" } })
    expect(filters.remembered()).toEqual({
      write: { allow: [{ call: '{"times":"3"}', workingDir: process.cwd() }] },
    })
  })

  it.each([
    ["does not fit the schema", { params: {} }, {}],
    ["a deny rule refuses", { params: { times: "9" } }, { deny: ["9"] }],
  ])("is nothing of an edit that %s", async (_, edit, rules) => {
    const filters = ToolFilters.compile({ write: rules })
    const host = new ScriptedHost(executorOf({ write }, { filters }), { gate: { ...edit, remember: "tool" } })
    await host.run([{ callId: "c", name: "write", params: { times: "1" } }])
    expect(host.terminal("c")?._tag).not.toBe("Completed")
    expect(filters.remembered()).toEqual({})
  })

  it("is nothing of an edit that is cancelled before it runs", async () => {
    const filters = ToolFilters.empty()
    const executor = executorOf({ write }, { filters })
    const host = new ScriptedHost(executor)
    executor.enqueue([{ callId: "c", name: "write", params: { times: "1" } }])
    await host.until((event) => event._tag === "AwaitingApproval")
    executor.approve("c", { params: { times: "2" }, remember: true })
    executor.cancelCall("c")
    await host.run()
    expect(host.terminal("c")?._tag).toBe("Cancelled")
    expect(filters.remembered()).toEqual({})
  })

  it.each([
    [true, [{ call: '{"times":"1"}', workingDir: process.cwd() }]],
    ["call", [{ call: '{"times":"1"}', workingDir: process.cwd() }]],
    ["command", [{ call: '{"times":"1"}', workingDir: process.cwd() }]],
    ["tool", [".*"]],
    [{ rule: "^[0-9]$" }, ["^[0-9]$"]],
  ] as const)("is chosen: %j, which can be seen before", async (remember, allow) => {
    const filters = ToolFilters.empty()
    const executor = executorOf({ write }, { filters })
    const host = new ScriptedHost(executor)
    executor.enqueue([{ callId: "c", name: "write", params: { times: "1" } }])
    await host.until((event) => event._tag === "AwaitingApproval")
    expect(executor.wouldRemember("c", remember === true ? undefined : remember)).toEqual(allow)
    executor.approve("c", { remember })
    await host.run()
    expect(filters.remembered()).toEqual({ write: { allow } })
    expect(executor.wouldRemember("c")).toBeUndefined()
  })

  it.each([[{ rule: "^2$" }], [{ rule: "(" }], ["all" as "tool"]])(
    "is nothing for %j, and the call is approved all the same",
    async (remember) => {
      const filters = ToolFilters.empty()
      const host = new ScriptedHost(executorOf({ write }, { filters }), { gate: { remember } })
      await host.run([{ callId: "c", name: "write", params: { times: "1" } }])
      expect(host.terminal("c")?._tag).toBe("Completed")
      expect(filters.remembered()).toEqual({})
    },
  )
})

it("rules that name no folder are relative to the executor's", async () => {
  const read = toolOf("read", pipeline(), {
    parameters: { type: "object", properties: { path: { type: "string" } } },
    primaryParam: "path",
    primaryKind: "path",
  })
  const filters = ToolFilters.compile({ read: { deny: ["^secrets/"] } })
  const executor = executorOf({ read }, { filters, cwd: "/proj" })
  const { status } = await executor.run({ name: "read", params: { path: "/proj/secrets/x" } })
  expect(status).toBe("denied")
})
