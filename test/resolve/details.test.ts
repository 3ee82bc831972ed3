import { describe, expect, it } from "vitest"
import { type ResolveRequest, Step, type ToolOutput } from "../../src/index.ts"
import { executorOf } from "../support/executor-of.ts"
import { apply, discard, editTool, stage } from "./edit-tool.ts"

/** The details of the result after handlers that answer with this step. */
const detailsAfter = async (step: Step, request: ResolveRequest = apply) => {
  const { plan } = editTool({ apply: () => step, onDiscard: () => step })
  const executor = executorOf({ edit: plan })
  await stage(executor)
  const { output } = await executor.agent().resolve(request)
  return output.details
}

const outputWith = (details: unknown): Step =>
  Step.Output({ content: [{ type: "text", text: "done" }], details } as ToolOutput)

const base = { action: "apply", reason: "looks right", sourceToolName: "edit", label: "Change a.ts" }

describe("the details of a resolve result", () => {
  it("name the action, the reason, the source and the label, and nothing that is not there", async () => {
    expect(await detailsAfter(Step.Output("done"))).toEqual(base)
  })

  it("hold the extra data as it was given", async () => {
    const extra = { title: "Rename", nested: { n: 1 } }
    expect(await detailsAfter(Step.Output("done"), { ...apply, extra })).toEqual({ ...base, extra })
  })

  it("leave out extra data that is null", async () => {
    expect(await detailsAfter(Step.Output("done"), { ...apply, extra: null as never })).toEqual(base)
  })

  it.each([{ files: 2 }, 0, false, ""])("hold the details of what was applied: %j", async (details) => {
    expect(await detailsAfter(outputWith(details))).toEqual({ ...base, sourceResultDetails: details })
  })

  it.each([null, undefined])(
    "leave out the details of what was applied where they are %s",
    async (details) => {
      expect(await detailsAfter(outputWith(details))).toEqual(base)
    },
  )

  it("hold the details of what was discarded", async () => {
    expect(await detailsAfter(outputWith({ removed: 1 }), discard)).toEqual({
      ...base,
      ...discard,
      sourceResultDetails: { removed: 1 },
    })
  })

  it("are the same without an onDiscard", async () => {
    const executor = executorOf({ edit: editTool().plan })
    await stage(executor)
    expect((await executor.agent().resolve(discard)).output.details).toEqual({ ...base, ...discard })
  })

  it("come with a failure too, so that hosts can show what failed", async () => {
    expect(await detailsAfter(Step.Error("no room"))).toEqual(base)
    expect(await detailsAfter(Step.Error("still locked"), discard)).toEqual({ ...base, ...discard })
  })
})
