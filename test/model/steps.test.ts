import { describe, expect, it } from "vitest"
import { type HandlerContext, pipeline, Step } from "../../src/index.ts"
import { contentOf, endOf, runOne } from "../support/run-one.ts"

const show = ({ output }: HandlerContext) =>
  Step.Output(`saw ${output === undefined ? "nothing" : JSON.stringify(output.content)}`)

describe("steps", () => {
  it("are plain values that a host can read", () => {
    const cause = new Error("disk")
    expect([
      Step.Continue,
      Step.Output("text"),
      Step.Output({ content: [{ type: "text", text: "a" }], details: { lines: 1 } }),
      Step.Delta("more"),
      Step.Delegate({ _tag: "IdeOpen", path: "a.ts", line: 3, column: 1 }, { timeout: "1 second" }),
      Step.AwaitApproval({ label: "Write a.ts" }),
      Step.AwaitApproval(),
      Step.Error("what failed", { cause }),
    ]).toEqual([
      { _tag: "Continue" },
      { _tag: "Output", output: "text" },
      { _tag: "Output", output: { content: [{ type: "text", text: "a" }], details: { lines: 1 } } },
      { _tag: "Delta", content: "more" },
      {
        _tag: "Delegate",
        effect: { _tag: "IdeOpen", path: "a.ts", line: 3, column: 1 },
        timeout: "1 second",
      },
      { _tag: "AwaitApproval", label: "Write a.ts" },
      { _tag: "AwaitApproval" },
      { _tag: "Error", message: "what failed", cause },
    ])
  })

  it("Continue goes on and keeps the output of the handlers before", async () => {
    const plan = pipeline()
      .andThen(() => Step.Output("first"))
      .andThen(() => Step.Continue)
    expect(await contentOf(plan)).toBe("first")
  })

  it("a call without an output completes with none", async () => {
    expect(await endOf(pipeline().andThen(() => Step.Continue))).toMatchObject({
      _tag: "Completed",
      content: "",
      output: { content: [] },
    })
  })

  it("Output replaces the output, and the handlers after see it", async () => {
    const plan = pipeline()
      .andThen(show)
      .andThen(() => Step.Output("second"))
      .andThen(show)
    expect(await contentOf(plan)).toBe('saw [{"type":"text","text":"second"}]')
  })

  it("Output takes blocks and details: the text of the blocks is the content, images have none", async () => {
    const output = {
      content: [
        { type: "text" as const, text: "one" },
        { type: "image" as const, data: "aGk=", mimeType: "image/png" },
        { type: "text" as const, text: "two" },
      ],
      details: { files: 2 },
    }
    expect(await endOf(pipeline().andThen(() => Step.Output(output)))).toMatchObject({
      _tag: "Completed",
      content: "one\ntwo",
      output,
    })
  })

  it("Delta streams and goes on, and is no part of the output", async () => {
    const plan = pipeline()
      .andThen(() => Step.Delta("one"))
      .andThen(() => Step.Delta("two"))
      .andThen(show)
    expect(await runOne(plan)).toMatchObject([
      { _tag: "Started" },
      { _tag: "Delta", callId: "c", content: "one" },
      { _tag: "Delta", callId: "c", content: "two" },
      { _tag: "Completed", content: "saw nothing" },
    ])
  })

  it("Error skips the rest, keeps its cause from the model, and runs the finally handlers", async () => {
    const log: Array<string> = []
    const cause = { code: "ENOSPC" }
    const plan = pipeline()
      .andThen(() => Step.Output("half"))
      .andThen(() => Step.Error("the disk is full", { cause }))
      .andThen(() => {
        log.push("after the error")
        return Step.Continue
      })
      .finally(() => {
        log.push("finally")
        return Step.Continue
      })
    expect(await endOf(plan)).toMatchObject({
      _tag: "Error",
      reason: "failed",
      content: "the disk is full",
      output: { content: [{ type: "text", text: "half" }] },
      cause,
    })
    expect(log).toEqual(["finally"])
  })
})
