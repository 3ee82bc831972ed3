import { describe, expect, it } from "vitest"
import { type CallFilter, pipeline, Step } from "../../../src/index.ts"
import { ScriptedHost } from "../../../src/testing.ts"
import { is } from "../../support/event-of.ts"
import { executorOf, toolOf } from "../../support/executor-of.ts"

/** A tool that notes each part it runs, with the path it runs for. */
const editable = (options: { readonly gates?: number; readonly failsFor?: string } = {}) => {
  const log: Array<string> = []
  const plan = ({ path }: Record<string, unknown>) => {
    log.push(`compose ${path}`)
    let built = pipeline().andThen(({ output }) => {
      log.push(`preview ${path}${output === undefined ? "" : " over an old output"}`)
      return Step.Output(`preview of ${path}`)
    })
    for (let gate = 0; gate < (options.gates ?? 1); gate++) {
      built = built.awaitApproval().andThen(({ call }) => {
        log.push(`write ${(call.params as { path: string }).path}`)
        return path === options.failsFor ? Step.Error(`cannot write ${path}`) : Step.Output(`wrote ${path}`)
      })
    }
    return built.finally(({ call }) => {
      log.push(`close ${(call.params as { path: string }).path}`)
      return Step.Continue
    })
  }
  return { log, plan }
}

const edit = { gate: { params: { path: "b" } } }

describe("approve({ params })", () => {
  it("cleans up the first attempt, then runs the call again with the new parameters, past the gate", async () => {
    const { log, plan } = editable()
    const host = new ScriptedHost(executorOf({ write: plan }), edit)
    await host.run([{ callId: "c", name: "write", params: { path: "a" } }])
    expect(log).toEqual(["compose a", "preview a", "close a", "compose b", "preview b", "write b", "close b"])
    expect(host.tags()).toEqual(["Started", "AwaitingApproval", "Completed"])
    expect(host.terminal("c")).toMatchObject({ content: "wrote b", editedParams: { path: "b" } })
  })

  it("begins the call anew with an empty memory", async () => {
    const found: Array<unknown> = []
    const plan = pipeline()
      .andThen(({ memory }) => {
        found.push(memory.seen)
        memory.seen = "by the first attempt"
        return Step.Output("preview")
      })
      .awaitApproval()
    const host = new ScriptedHost(executorOf({ write: plan }), edit)
    await host.run([{ callId: "c", name: "write", params: { path: "a" } }])
    expect(found).toEqual([undefined, undefined])
  })

  it("works by id", async () => {
    const { plan } = editable()
    const executor = executorOf({ write: plan })
    executor.enqueue([{ callId: "c", name: "write", params: { path: "a" } }])
    const host = new ScriptedHost(executor)
    const gate = await host.until(is("AwaitingApproval"))
    expect(executor.approve("c", { params: { path: "b" }, reason: "wrong file" })).toBe(true)
    expect(executor.approve("c")).toBe(false)
    expect(gate.deny()).toBe(false)
    await host.run()
    expect(host.terminal("c")).toMatchObject({ content: "wrote b" })
  })

  it("tells nothing of edits where there were none", async () => {
    const { plan } = editable()
    const host = new ScriptedHost(executorOf({ write: plan }))
    await host.run([{ callId: "c", name: "write", params: { path: "a" } }])
    expect(host.terminal("c")).not.toHaveProperty("editedParams")
  })

  it("asks at the gates that come after the edited one, and at none before", async () => {
    for (const [editedGate, asked] of [
      [0, 3],
      [1, 3],
      [2, 3],
    ] as const) {
      const { log, plan } = editable({ gates: 3 })
      let gates = 0
      const host = new ScriptedHost(executorOf({ write: plan }), {
        gate: () => (gates++ === editedGate ? { params: { path: "b" } } : "approve"),
      })
      await host.run([{ callId: "c", name: "write", params: { path: "a" } }])
      expect(host.tags().filter((tag) => tag === "AwaitingApproval")).toHaveLength(asked)
      expect(log.filter((line) => line === "write b")).toHaveLength(3)
      expect(log.filter((line) => line === "write a")).toHaveLength(editedGate)
      expect(host.terminal("c")).toMatchObject({ _tag: "Completed", editedParams: { path: "b" } })
    }
  })

  it("shows the new parameters and the new preview at the next gate, and can be edited again", async () => {
    const { log, plan } = editable({ gates: 2 })
    const edits = ["b", "c"]
    const host = new ScriptedHost(executorOf({ write: plan }), {
      gate: () => ({ params: { path: edits.shift() } }),
    })
    await host.run([{ callId: "c", name: "write", params: { path: "a" } }])
    expect(host.events.filter(is("AwaitingApproval"))).toMatchObject([
      { params: { path: "a" }, preview: { content: [{ text: "preview of a" }] } },
      { params: { path: "b" }, preview: { content: [{ text: "wrote b" }] } },
    ])
    expect(log.filter((line) => line.startsWith("close"))).toEqual(["close a", "close b", "close c"])
    expect(host.terminal("c")).toMatchObject({ content: "wrote c", editedParams: { path: "c" } })
  })

  it("gives the handlers past the gate the reason of the approval", async () => {
    const plan = pipeline()
      .awaitApproval()
      .andThen(({ resolution }) => Step.Output(JSON.stringify(resolution)))
    const host = new ScriptedHost(executorOf({ write: plan }), { gate: { params: {}, reason: "safer" } })
    await host.run([{ callId: "c", name: "write" }])
    expect(host.terminal("c")).toMatchObject({ content: '{"action":"apply","reason":"safer"}' })
  })

  it("passes a gate that a handler asks for", async () => {
    const plan = ({ path }: Record<string, unknown>) =>
      pipeline()
        .andThen(() => Step.AwaitApproval())
        .andThen(() => Step.Output(String(path)))
    const host = new ScriptedHost(executorOf({ write: plan }), edit)
    await host.run([{ callId: "c", name: "write", params: { path: "a" } }])
    expect(host.tags()).toEqual(["Started", "AwaitingApproval", "Completed"])
    expect(host.terminal("c")).toMatchObject({ content: "b" })
  })

  it("passes a gate that a generator asks for, and closes the first one", async () => {
    const log: Array<string> = []
    const plan = ({ path }: Record<string, unknown>) =>
      pipeline().andThen(async function* () {
        try {
          yield Step.AwaitApproval()
          yield Step.Output(`wrote ${path}`)
        } finally {
          log.push(`closed ${path}`)
        }
      })
    const host = new ScriptedHost(executorOf({ write: plan }), edit)
    await host.run([{ callId: "c", name: "write", params: { path: "a" } }])
    expect(host.terminal("c")).toMatchObject({ content: "wrote b" })
    expect(log).toEqual(["closed a", "closed b"])
  })

  it("takes `undefined` parameters for a plain approval", async () => {
    const { log, plan } = editable()
    const host = new ScriptedHost(executorOf({ write: plan }), { gate: { params: undefined } })
    await host.run([{ callId: "c", name: "write", params: { path: "a" } }])
    expect(log).toEqual(["compose a", "preview a", "write a", "close a"])
    expect(host.terminal("c")).not.toHaveProperty("editedParams")
  })
})

describe("edited parameters", () => {
  it("that a rule denies end as denied by policy, with the second attempt neither composed nor cleaned", async () => {
    const { log, plan } = editable()
    const filters: CallFilter = {
      evaluate: (_, params) => ((params as { path: string }).path === "b" ? "deny" : undefined),
    }
    const host = new ScriptedHost(executorOf({ write: plan }, { filters }), edit)
    await host.run([{ callId: "c", name: "write", params: { path: "a" } }])
    expect(host.terminal("c")).toMatchObject({ _tag: "Denied", by: "policy" })
    expect(log).toEqual(["compose a", "preview a", "close a"])
  })

  it("that do not fit the schema end as invalid, after the first attempt's cleanup", async () => {
    const { log, plan } = editable()
    const write = toolOf("write", plan, {
      parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
    })
    const host = new ScriptedHost(executorOf({ write }), { gate: { params: { path: ["b", "c"] } } })
    await host.run([{ callId: "c", name: "write", params: { path: "a" } }])
    expect(host.terminal("c")).toMatchObject({
      _tag: "Error",
      reason: "invalid",
      content: expect.stringContaining('Validation failed for tool "write":'),
      editedParams: { path: ["b", "c"] },
    })
    expect(log).toEqual(["compose a", "preview a", "close a"])
  })

  it("are on the terminal event of a call that failed with them", async () => {
    const { plan } = editable({ failsFor: "b" })
    const host = new ScriptedHost(executorOf({ write: plan }), edit)
    await host.run([{ callId: "c", name: "write", params: { path: "a" } }])
    expect(host.terminal("c")).toMatchObject({
      _tag: "Error",
      content: "cannot write b",
      editedParams: { path: "b" },
    })
  })

  it("are those that tasks and later gates show", async () => {
    const { plan } = editable()
    const executor = executorOf({ write: plan })
    const host = new ScriptedHost(executor, edit)
    await host.run([{ callId: "c", name: "write", params: { path: "a" }, background: true }])
    expect(executor.tasks.get("c")).toMatchObject({ params: { path: "b" }, content: "wrote b" })
  })

  it("lose their `background`, which changes nothing", async () => {
    const executor = executorOf({
      gated: pipeline()
        .awaitApproval()
        .andThen(() => Step.Output("done")),
    })
    const seen: Array<unknown> = []
    const result = await executor.run({ name: "gated" }, (event) => {
      if (event._tag === "AwaitingApproval") event.approve({ params: { background: true } })
      if (event._tag === "Completed") seen.push(event.editedParams)
    })
    expect(result.status).toBe("complete")
    expect(seen).toEqual([{}])
  })
})

describe("an edited background call", () => {
  it("is announced once, with its approval", async () => {
    const { log, plan } = editable()
    const host = new ScriptedHost(executorOf({ write: plan }), edit)
    await host.run([{ callId: "c", name: "write", params: { path: "a" }, background: true }])
    expect(host.tags("c")).toEqual([
      "Started",
      "AwaitingApproval",
      "BackgroundStarted",
      "BackgroundCompleted",
    ])
    expect(log.filter((line) => line.startsWith("close"))).toEqual(["close a", "close b"])
  })

  it("is announced before the second attempt streams", async () => {
    const plan = ({ path }: Record<string, unknown>) =>
      pipeline()
        .andThen(() => Step.Delta(`preview of ${path}`))
        .awaitApproval()
    const host = new ScriptedHost(executorOf({ write: plan }), edit)
    await host.run([{ callId: "c", name: "write", params: { path: "a" }, background: true }])
    expect(host.tags("c")).toEqual([
      "Started",
      "Delta",
      "AwaitingApproval",
      "BackgroundStarted",
      "Delta",
      "BackgroundCompleted",
    ])
  })

  it("that is refused with the new parameters gives the model its one result", async () => {
    const { plan } = editable()
    const filters: CallFilter = {
      evaluate: (_, params) => ((params as { path: string }).path === "b" ? "deny" : undefined),
    }
    const executor = executorOf({ write: plan }, { filters })
    const host = new ScriptedHost(executor, edit)
    await host.run([{ callId: "c", name: "write", params: { path: "a" }, background: true }])
    expect(host.tags("c")).toEqual(["Started", "AwaitingApproval", "Denied"])
    expect(executor.tasks.list()).toEqual([])
  })
})
