import { homedir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { resolvePath } from "../../../../src/custom-tools/stand-ins/tool-factories/paths.ts"

it("takes paths as models and users write them", () => {
  expect(["a", "/a", "~", "~/a", "@a", "a\u00a0b", "~a"].map((each) => resolvePath(each, "/cwd"))).toEqual([
    "/cwd/a",
    "/a",
    homedir(),
    join(homedir(), "a"),
    "/cwd/a",
    "/cwd/a b",
    "/cwd/~a",
  ])
})
