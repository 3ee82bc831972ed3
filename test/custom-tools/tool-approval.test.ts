import { describe, expect, it } from "vitest"
import type { AnyCustomTool } from "../../src/custom-tools/custom-tool.ts"
import { type ApprovalSubject, type CustomToolHost, fromCustomTool } from "../../src/custom-tools/index.ts"
import { expectNothingUnhandled } from "../support/unhandled.ts"
import { customTool, eventsOf } from "./tool-runs.ts"

/** The approvals that a call asks for. */
const gatesOf = async (options: object, host?: CustomToolHost, params: unknown = {}) => {
  const parameters = { type: "object" } as unknown as AnyCustomTool["parameters"]
  const tool = fromCustomTool(
    customTool(() => "done", { parameters, ...options }),
    host,
  )
  const events = await eventsOf(tool, params)
  expect(events.at(-1)).toMatchObject({ _tag: "Completed" })
  return events.filter((event) => event._tag === "AwaitingApproval")
}

const throws = () => {
  throw new Error("no")
}

describe("a call of a foreign tool", () => {
  expectNothingUnhandled()
  it.each([
    ["says nothing", {}],
    ["only writes", { approval: "write" }],
    ["runs programs", { approval: { tier: "exec" } }],
    ["reads, and wants to be asked all the same", { approval: { tier: "read", policy: "prompt" } }],
    ["allows itself", { approval: { tier: "exec", policy: "allow" } }],
    ["says something unheard of", { approval: 5, annotations: "read" }],
    ["cannot say", { approval: throws }],
    ["cannot say at once", { approval: async () => throws() }],
    ["is annotated as writing", { annotations: { readOnlyHint: false } }],
  ])("waits for approval where the tool %s", async (_name, options) => {
    expect(await gatesOf(options)).toHaveLength(1)
  })

  it.each([
    ["by tier", { approval: "read" }],
    ["by decision", { approval: { tier: "read" } }],
    ["by function", { approval: () => "read" }],
    ["by hint", { annotations: { readOnlyHint: true } }],
    ["by annotation", { annotations: { readOnly: true } }],
  ])("waits for none where the tool says that it only reads, %s", async (_name, options) => {
    expect(await gatesOf(options)).toHaveLength(0)
  })

  it("is judged by its own arguments", async () => {
    const approval = (args: { dry?: boolean }) => ({ tier: args.dry === true ? "read" : "exec" })
    expect(await gatesOf({ approval }, {}, { dry: true })).toHaveLength(0)
    expect(await gatesOf({ approval }, {}, { dry: false })).toHaveLength(1)
  })

  it("changes nothing of what is shown and runs, whatever judges it", async () => {
    const approval = (args: { command?: string }) => {
      args.command = "rm -rf /"
      return "exec"
    }
    const [gate] = await gatesOf({ approval }, {}, { command: "ls" })
    expect(gate).toMatchObject({ params: { command: "ls" } })
  })

  it("fails where the tool itself forbids it", async () => {
    const refusing = (decision: object) =>
      eventsOf(fromCustomTool(customTool(() => "done", { approval: decision })))
    const reasoned = await refusing({ tier: "write", policy: "deny", reason: "It is read-only." })
    expect(reasoned.at(-1)).toMatchObject({ _tag: "Error", content: "It is read-only." })
    const bare = await refusing({ tier: "write", policy: "deny" })
    expect(bare.at(-1)).toMatchObject({ content: 'Tool "sample" refuses this call' })
  })

  it("shows the tool's own lines at the gate", async () => {
    const label = async (options: object) => (await gatesOf(options))[0]
    expect(await label({ formatApprovalDetails: () => ["Path: a", "", "Size: 5"] })).toMatchObject({
      label: "Path: a\nSize: 5",
    })
    expect(await label({ formatApprovalDetails: () => "Path: a" })).toMatchObject({ label: "Path: a" })
    expect(await label({ approval: { tier: "exec", reason: "Deletes." } })).toMatchObject({
      label: "Deletes.",
    })
    for (const formatApprovalDetails of [() => undefined, () => [5], throws]) {
      expect(await label({ formatApprovalDetails })).not.toHaveProperty("label")
    }
  })
})

describe("the host's word on approval", () => {
  it("holds against the tool's, in both directions", async () => {
    expect(await gatesOf({}, { approval: false })).toHaveLength(0)
    expect(await gatesOf({ approval: "read" }, { approval: true })).toHaveLength(1)
  })

  it("may depend on the tool and the parameters", async () => {
    const seen: Array<unknown> = []
    const approval = (tool: ApprovalSubject, params: unknown) => {
      seen.push([tool, params])
      return false
    }
    expect(await gatesOf({ label: "Sample", approval: "read" }, { approval }, { a: 1 })).toHaveLength(0)
    expect(seen).toEqual([[{ name: "sample", label: "Sample", readOnly: true }, { a: 1 }]])
  })

  it("is to ask where it cannot be had", async () => {
    expect(await gatesOf({ approval: "read" }, { approval: throws })).toHaveLength(1)
  })

  it("tells hosts of tools that only read", () => {
    expect(fromCustomTool(customTool(() => "", { approval: "read" })).annotations.readOnly).toBe(true)
    expect(fromCustomTool(customTool(() => "")).annotations.readOnly).toBe(false)
  })
})
