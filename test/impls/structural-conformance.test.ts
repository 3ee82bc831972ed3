import { writeFile } from "node:fs/promises"
import { astEditTool, astGrepTool } from "../../src/impls/index.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { conforms } from "./conformance.ts"

const path = useTempFolder()

const prepared =
  <Params>(params: Params) =>
  async (): Promise<Params> => {
    await writeFile(path("file.ts"), "foo(1)\n")
    return params
  }

conforms({
  tool: astGrepTool,
  cwd: path,
  prepare: prepared({ pattern: "foo($A)", paths: ["file.ts"] }),
  badParams: { pattern: "foo()", paths: [] },
  asks: false,
  effects: [],
  cleanup: [],
})

// A dry run: what stages is told in ast-edit.test.ts.
conforms({
  tool: astEditTool,
  cwd: path,
  prepare: prepared({
    ops: [{ pattern: "foo($A)", replacement: "bar($A)" }],
    paths: ["file.ts"],
    dry_run: true,
  }),
  badParams: { ops: [], paths: ["."] },
  asks: false,
  effects: [],
  cleanup: [],
})
