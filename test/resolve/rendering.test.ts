import { describe, expect, it } from "vitest"
import { Step, type ToolResult, textOutput } from "../../src/index.ts"
import { renderResolve } from "../../src/resolve/rendering.ts"
import { executorOf } from "../support/executor-of.ts"
import { apply, discard, editTool, stage } from "./edit-tool.ts"

const options = { width: 80, expanded: false }

const rendered = async (request: typeof apply | typeof discard, step: Step = Step.Output("done")) => {
  const { plan } = editTool({ apply: () => step })
  const executor = executorOf({ edit: plan })
  await stage(executor)
  return renderResolve(await executor.agent().resolve(request), options, request)
}

describe("the rendering of resolve", () => {
  it("shows `Accept`, the label, the reason and what came of it, in one block", async () => {
    expect(await rendered(apply)).toBe("Accept: Change a.ts\nReason: looks right\n\ndone")
  })

  it("shows `Discard`", async () => {
    expect(await rendered(discard)).toBe(
      "Discard: Change a.ts\nReason: not needed\n\nDiscarded: Change a.ts. Reason: not needed",
    )
  })

  it("shows `Failed` with the label and what failed", async () => {
    expect(await rendered(apply, Step.Error("no room"))).toBe(
      "Failed: Change a.ts\nReason: looks right\n\nno room",
    )
  })

  it("leaves out the label and the reason where there is none", () => {
    const output = textOutput("No pending action to resolve.")
    const result: ToolResult = {
      status: "error",
      content: "No pending action to resolve.",
      output,
      isError: true,
    }
    expect(renderResolve(result, options, {})).toBe("Failed\n\nNo pending action to resolve.")
    expect(renderResolve(result, options, undefined)).toBe("Failed\n\nNo pending action to resolve.")
  })

  it("shows the head alone where there is no text", () => {
    const output = { content: [], details: { label: "Change" } }
    const result: ToolResult = { status: "complete", content: "", output, isError: false }
    expect(renderResolve(result, options, apply)).toBe("Accept: Change\nReason: looks right")
  })
})
