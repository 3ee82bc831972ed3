import { pathToFileURL } from "node:url"
import { expect, it } from "vitest"
import { isExtensionFile, isToolFile, resolveToolPath } from "../../../src/custom-tools/loading/tool-paths.ts"

it.each([
  ["tool.ts", "/work/tool.ts"],
  ["../tool.ts", "/tool.ts"],
  ["/abs/tool.ts", "/abs/tool.ts"],
  ["~", "/home/me"],
  ["~/tools/a.ts", "/home/me/tools/a.ts"],
  ["~other/a.ts", "/work/~other/a.ts"],
  [pathToFileURL("/abs/with space.ts").href, "/abs/with space.ts"],
])("resolves %s to %s", (path, resolved) => {
  expect(resolveToolPath(path, "/work", "/home/me")).toBe(resolved)
})

it("knows the modules of a folder by their names", () => {
  const names = ["a.ts", "b.js", "c.mjs", "d.cjs", "e.d.ts", ".f.ts", "g.md", "h.json", "i.tsx", "ts"]
  expect(names.filter(isToolFile)).toEqual(["a.ts", "b.js", "c.mjs", "d.cjs"])
  expect(names.filter(isExtensionFile)).toEqual(["a.ts", "b.js"])
})

it("takes an empty path for none", () => {
  expect(() => resolveToolPath("", "/work", "/home/me")).toThrow("The path is empty")
})
