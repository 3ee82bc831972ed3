import { describe, expect, it } from "vitest"
import { toPartial, toToolOutput } from "../../src/custom-tools/normalise-result.ts"

const text = (words: string) => ({ type: "text", text: words })
const audio = { type: "audio", data: "AAAA", mimeType: "audio/wav" }
const resource = { type: "resource", resource: { uri: "file:///a", text: "a" } }
const link = { type: "resource_link", uri: "file:///a", name: "a" }
const broken = { type: "resource", uri: "x" }
const image = { type: "image", data: "AAAA", mimeType: "image/png" }

describe("toToolOutput", () => {
  it("passes content, details and terminate of a good result", () => {
    const result = { content: [text("done"), image], details: { count: 2 }, terminate: true }
    expect(toToolOutput(result)).toStrictEqual({ output: result, isError: false })
  })

  it("reads a failure that is returned", () => {
    const { output, isError } = toToolOutput({ content: [text("no")], isError: true })
    expect(isError).toBe(true)
    expect(output).toStrictEqual({ content: [text("no")] })
  })

  it.each([
    ["a string", "done", [text("done")]],
    ["a number", 3, [text("3")]],
    ["nothing", undefined, []],
    ["null", null, []],
    ["details alone", { details: { a: 1 } }, []],
    ["content that is a string", { content: "done" }, [text("done")]],
    ["one block as the content", { content: text("done") }, [text("done")]],
    ["a block as the result", text("done"), [text("done")]],
    ["a list of blocks as the result", [text("a"), image], [text("a"), image]],
    ["plain output", { output: "done" }, [text("done")]],
    ["an object without content", { ok: true }, [text('{"ok":true}')]],
    ["strings among the blocks", { content: ["a", text("b")] }, [text("a"), text("b")]],
    ["holes among the blocks", { content: [null, undefined, text("a")] }, [text("a")]],
    ["a text block without text", { content: [{ type: "text" }] }, []],
    ["a text block of a number", { content: [{ type: "text", text: 5 }] }, [text("5")]],
    ["an image without data", { content: [{ type: "image" }] }, [text('{"type":"image"}')]],
    ["a sound and resources", { content: [audio, resource, link] }, [audio, resource, link]],
    ["a link as the result", link, [link]],
    ["a resource without contents", { content: [broken] }, [text(JSON.stringify(broken))]],
    ["a block of another kind", { content: [{ type: "video" }] }, [text('{"type":"video"}')]],
  ])("makes content of %s", (_name, result, content) => {
    expect(toToolOutput(result).output.content).toStrictEqual(content)
  })

  it("leaves out fields of blocks that hosts do not know", () => {
    const { output } = toToolOutput({ content: [{ ...text("a"), signature: "s" }] })
    expect(output.content).toStrictEqual([text("a")])
  })

  it("makes details plain JSON", () => {
    const details: Record<string, unknown> = { size: 5n, run: () => 1 }
    details.self = details
    expect(toToolOutput({ content: [], details }).output.details).toStrictEqual({
      size: "5",
      self: "[circular]",
    })
  })

  it("reads a result whose parts cannot be read", () => {
    const result = {
      get content() {
        throw new Error("no")
      },
      details: { a: 1 },
    }
    expect(toToolOutput(result).output).toStrictEqual({ content: [], details: { a: 1 } })
  })
})

describe("toPartial", () => {
  it("gives the text and the whole update", () => {
    const update = { content: [text("a"), text("b")], details: { progress: 50 } }
    expect(toPartial(update)).toStrictEqual({ text: "a\nb", partial: update })
  })

  it("reads `output` as the text", () => {
    expect(toPartial({ output: "half", details: 1 })).toStrictEqual({
      text: "half",
      partial: { content: [text("half")], details: 1 },
    })
  })

  it("reads a bare string, and nothing", () => {
    expect(toPartial("half")).toStrictEqual({ text: "half", partial: { content: [text("half")] } })
    expect(toPartial(undefined)).toStrictEqual({ text: "", partial: { content: [] } })
  })
})
