import { describe, expect, it } from "vitest"
import { publishedModule } from "./published-module.ts"

const { parseFrontmatter } = await publishedModule("@mariozechner/pi-coding-agent")

const fields = (yaml: string): unknown => parseFrontmatter(`---\n${yaml}\n---\nbody`).frontmatter

describe("parseFrontmatter", () => {
  it("parts the fields from the body", () => {
    expect(parseFrontmatter("---\nname: scout\ntools: read, grep\n---\n\n# Scout\n")).toEqual({
      frontmatter: { name: "scout", tools: "read, grep" },
      body: "# Scout",
    })
    expect(parseFrontmatter("---\r\nname: x\r\n---\r\nbody")).toEqual({
      frontmatter: { name: "x" },
      body: "body",
    })
  })

  it("reads scalars, lists and quoted texts", () => {
    expect(fields("a: 3\nb: true\nc: 'x: y'\nd:\nurl: http://x/#y # note\nversion: 1.2.3")).toEqual({
      a: 3,
      b: true,
      c: "x: y",
      d: null,
      url: "http://x/#y",
      version: "1.2.3",
    })
    expect(fields("a: [x, 2]\nb:\n  - y\n  - 'z'\nc: []")).toEqual({ a: ["x", 2], b: ["y", "z"], c: [] })
  })

  it("joins the lines of a block text", () => {
    expect(fields("about: >\n  one\n  two\nmore: a\n  b")).toEqual({ about: "one two", more: "a b" })
  })

  it("reads nested fields, as YAML", () => {
    expect(fields("meta:\n  owner: { name: x }\n  tags:\n    - a\nnote: |-\n  one\n  two")).toEqual({
      meta: { owner: { name: "x" }, tags: ["a"] },
      note: "one\ntwo",
    })
    expect(() => fields("a: [b\nc: d")).toThrow("at line 2")
  })

  it("reads plain texts that YAML refuses, as descriptions for models have them", () => {
    expect(fields("about: Use it so: first # this\ntools: *\nby: @me\nlist: [x]")).toEqual({
      about: "Use it so: first # this",
      tools: "*",
      by: "@me",
      list: ["x"],
    })
  })

  it("takes a text without fields for a body", () => {
    expect(parseFrontmatter("# Title\n---\na: b\n---")).toEqual({
      frontmatter: {},
      body: "# Title\n---\na: b\n---",
    })
    expect(parseFrontmatter("---\nnever closed")).toEqual({ frontmatter: {}, body: "---\nnever closed" })
    expect(parseFrontmatter("---\n---\nbody")).toEqual({ frontmatter: {}, body: "body" })
  })

  it("makes plain fields of names that objects have", () => {
    expect(Object.keys(fields("__proto__: x\nconstructor: y") as object)).toEqual([
      "__proto__",
      "constructor",
    ])
  })
})
