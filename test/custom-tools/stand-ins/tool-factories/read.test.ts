import { mkdir, writeFile } from "node:fs/promises"
import { describe, expect, it } from "vitest"
import { createReadTool } from "../../../../src/custom-tools/index.ts"
import { useTempFolder } from "../../../io/temp-folder.ts"
import { failureOf, run, textFrom } from "./run-tool.ts"

const path = useTempFolder()
const lines = (first: number, last: number): string =>
  Array.from({ length: last - first + 1 }, (_, index) => `line ${first + index}`).join("\n")

const make = () => createReadTool(path())

describe("text", () => {
  it("is given as it is, and by offset and limit", async () => {
    await writeFile(path("file"), "one\ntwo\nthree\n")
    expect(await textFrom(make(), { path: "file" })).toBe("one\ntwo\nthree\n")
    expect(await textFrom(make(), { path: path("file"), offset: 2, limit: 1 })).toBe(
      "two\n\n[2 more lines in file. Use offset=3 to continue.]",
    )
    expect(await textFrom(make(), { path: "file", offset: 3 })).toBe("three\n")
    expect(await textFrom(make(), { path: "file", limit: 0 })).toBe(
      "\n\n[4 more lines in file. Use offset=1 to continue.]",
    )
  })

  it("is cut to 2000 lines", async () => {
    await writeFile(path("file"), lines(1, 2500))
    const { content, details } = await run(make(), { path: "file", offset: 11 })
    expect(content).toEqual([
      {
        type: "text",
        text: `${lines(11, 2010)}\n\n[Showing lines 11-2010 of 2500. Use offset=2011 to continue.]`,
      },
    ])
    expect(details).toMatchObject({
      truncation: { truncatedBy: "lines", outputLines: 2000, totalLines: 2490 },
    })
  })

  it("is cut to 50 KB of whole lines, and counted to its end", async () => {
    const line = "é".repeat(500)
    await writeFile(path("file"), Array(600).fill(line).join("\n"))
    const { content, details } = await run(make(), { path: "file" })
    expect(content).toEqual([
      {
        type: "text",
        text: `${Array(51).fill(line).join("\n")}\n\n[Showing lines 1-51 of 600 (50.0KB limit). Use offset=52 to continue.]`,
      },
    ])
    expect(details).toMatchObject({
      truncation: { totalLines: 600, totalBytes: 600 * 1001 - 1, outputBytes: 51_050 },
    })
  })

  it("says how to see a line that is too long", async () => {
    await writeFile(path("file"), `a\n${"x".repeat(60_000)}\nb`)
    expect(await textFrom(make(), { path: "file", offset: 2 })).toBe(
      "[Line 2 is 58.6KB, exceeds 50.0KB limit. Use bash: sed -n '2p' file | head -c 51200]",
    )
    expect(await textFrom(make(), { path: "file", limit: 1 })).toMatch(/^a\n\n\[2 more lines/)
  })

  it("may be a file larger than the chunks that it is read in, with characters across their borders", async () => {
    const text = `x${"é".repeat(200_000)}\nlast é`
    await writeFile(path("file"), text)
    expect(await textFrom(make(), { path: "file", offset: 2 })).toBe("last é")
  })
})

describe("failures", () => {
  it("tell what is wrong with the path or the offset", async () => {
    await mkdir(path("folder"))
    await writeFile(path("file"), "a\nb")
    expect(await failureOf(make(), { path: "none" })).toMatch(/^File not found: none\./)
    expect(await failureOf(make(), { path: "folder" })).toBe(
      "folder is a directory, not a file. List what it holds, and read a file in it.",
    )
    expect(await failureOf(make(), { path: "/dev/zero" })).toMatch(/^\/dev\/zero is not a regular file/)
    expect(await failureOf(make(), { path: "file", offset: 9 })).toBe(
      "Offset 9 is beyond end of file (2 lines total)",
    )
  })

  it("come at once when the call is aborted", async () => {
    expect(await failureOf(make(), { path: "none" }, AbortSignal.abort())).toBe("Operation aborted")
  })
})

describe("images", () => {
  const png = Buffer.from("89504e470d0a1a0a0000", "hex")

  it("are known by their bytes and given as content", async () => {
    await writeFile(path("picture.txt"), png)
    expect((await run(make(), { path: "picture.txt" })).content).toEqual([
      { type: "text", text: "Read image file [image/png]" },
      { type: "image", data: png.toString("base64"), mimeType: "image/png" },
    ])
  })

  it("are left out where they are too large for a model", async () => {
    await writeFile(path("big"), Buffer.concat([png, Buffer.alloc(4_000_000)]))
    expect((await run(make(), { path: "big" })).content).toEqual([
      {
        type: "text",
        text: "Read image file [image/png]\n[Image omitted: 3.8MB is more than a model takes.]",
      },
    ])
  })

  it("come with a note where the model does not take them", async () => {
    await writeFile(path("p"), png)
    const ctx = { model: { input: ["text"] } } as never
    const { content } = await make().execute("1", { path: "p" }, undefined, undefined, ctx)
    expect(content[0]).toEqual({
      type: "text",
      text: "Read image file [image/png]\n[The current model does not take images. It will not see this one.]",
    })
  })
})

it("reads through the operations that it is given", async () => {
  const asked: Array<string> = []
  const tool = createReadTool("/far", {
    operations: {
      access: async (file) => {
        asked.push(file)
        if (file.endsWith("none")) throw new Error("no such file over there")
      },
      readFile: async () => Buffer.from("remote\ntext"),
    },
  })
  expect(await textFrom(tool, { path: "@a/b", offset: 2 })).toBe("text")
  expect(await failureOf(tool, { path: "none" })).toBe("no such file over there")
  expect(asked).toEqual(["/far/a/b", "/far/none"])
})
