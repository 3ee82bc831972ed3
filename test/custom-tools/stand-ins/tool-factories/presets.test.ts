import { writeFile } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { resolvePath } from "../../../../src/custom-tools/stand-ins/tool-factories/paths.ts"
import {
  createCodingTools,
  createReadOnlyTools,
} from "../../../../src/custom-tools/stand-ins/tool-factories/presets.ts"
import { useTempFolder } from "../../../io/temp-folder.ts"

const path = useTempFolder()

it("give the tools that agents have, in one folder", async () => {
  await writeFile(path("f"), "text")
  const names = (tools: ReadonlyArray<{ readonly name: string }>) => tools.map(({ name }) => name)
  expect(names(createCodingTools(path()))).toEqual(["read", "bash", "edit", "write"])
  const [read, ...rest] = createReadOnlyTools(path())
  expect(names(rest)).toEqual(["grep", "find", "ls"])
  expect(await read!.execute("1", { path: "f" }, undefined, undefined, {} as never)).toMatchObject({
    content: [{ type: "text", text: "text" }],
  })
})

it("take paths as models and users write them", () => {
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
