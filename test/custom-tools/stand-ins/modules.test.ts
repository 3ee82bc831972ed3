import { describe, expect, it } from "vitest"
import { standIns } from "../../../src/custom-tools/stand-ins/modules.ts"

const scopes = ["@mariozechner", "@earendil-works", "@oh-my-pi"]

const published = {
  "pi-coding-agent": [
    "withFileMutationQueue",
    "DEFAULT_MAX_BYTES",
    "DEFAULT_MAX_LINES",
    "formatSize",
    "getAgentDir",
    "keyHint",
    "defineTool",
    "truncateHead",
    "truncateTail",
    "getMarkdownTheme",
    "parseFrontmatter",
    "Type",
    "StringEnum",
    ...["Read", "Bash", "Edit", "Write", "Grep", "Find", "Ls"].flatMap((tool) => [
      `create${tool}Tool`,
      `create${tool}ToolDefinition`,
    ]),
  ],
  "pi-ai": ["StringEnum", "Type", "complete"],
  "pi-tui": [
    "Text",
    "Container",
    "Box",
    "Spacer",
    "Markdown",
    "matchesKey",
    "Key",
    "truncateToWidth",
    "visibleWidth",
    "wrapTextWithAnsi",
  ],
  "pi-agent-core": [],
}

describe("the stand-ins", () => {
  it.each(scopes)("have the names that tools import from %s", (scope) => {
    for (const [name, names] of Object.entries(published)) {
      expect(Object.keys(standIns[`${scope}/${name}`]!)).toEqual(expect.arrayContaining(names))
    }
  })

  it("give TypeBox under both of its names, version 1 with its default exports", () => {
    for (const part of ["", "/value", "/compile"]) {
      expect(standIns[`typebox${part}`]).toHaveProperty("default")
      expect(standIns).toHaveProperty([`@sinclair/typebox${part}`])
    }
    expect(standIns.typebox!.default).toBe(standIns.typebox!.Type)
    expect(standIns["@sinclair/typebox/compiler"]).toHaveProperty("TypeCompiler")
  })

  it("name the folder of the agent that a tool was written for", () => {
    const folderOf = (scope: string) => (standIns[`${scope}/pi-coding-agent`]!.getAgentDir as () => string)()
    expect(folderOf("@mariozechner")).toMatch(/[\\/]\.pi[\\/]agent$/)
    expect(folderOf("@oh-my-pi")).toMatch(/[\\/]\.omp[\\/]agent$/)
  })
})
