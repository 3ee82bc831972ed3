// @module-tag waits
/** Folders are swapped for links by another process while the file tools run: `RACE_ROUNDS=5000` makes it a long race. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { allTools } from "../../src/impls/index.ts"
import { noIde } from "../../src/index.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { compileScript } from "../support/run-script.ts"
import { executorIn } from "./executor-in.ts"

const path = useTempFolder()
const rounds = Number(process.env.RACE_ROUNDS ?? 60)

const startSwapping = async (folder: string, target: string) => {
  const script = await compileScript("test/impls/folder-swapper.ts")
  const swapper = spawn(process.execPath, [script, folder, target], { stdio: ["ignore", "pipe", "inherit"] })
  onTestFinished(() => void swapper.kill("SIGKILL"))
  await once(swapper.stdout, "data")
  return swapper
}

/** All that there is in a folder, with the times of its last changes. */
const stateOf = (folder: string): Array<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const here = join(entry.parentPath, entry.name)
    const { mtimeMs, ctimeMs } = statSync(here)
    const content = entry.isFile() ? readFileSync(here, "utf8") : ""
    return [`${here} ${mtimeMs} ${ctimeMs} ${content}`]
  })

const fill = (folder: string, word: string) => {
  mkdirSync(join(folder, "sub"), { recursive: true })
  writeFileSync(join(folder, "a.txt"), `${word}\n`)
  writeFileSync(join(folder, "k.ts"), `const word = "${word}"\nf(1)\n`)
  writeFileSync(join(folder, "sub", "deep.ts"), `const word = "${word}"\nf(2)\n`)
}

it("nothing outside the workspace is read or written while its folders are swapped for links", async () => {
  const workspace = path("ws")
  const outside = path("outside")
  fill(join(workspace, "d"), "inside")
  fill(outside, "SECRET")
  const before = stateOf(outside)
  const folderBefore = statSync(outside).ctimeMs
  const executor = executorIn(workspace, allTools(), { delegates: noIde, workspace })
  const swapper = await startSwapping(join(workspace, "d"), outside)

  const outcomes: Record<string, number> = {}
  const call = async (name: string, params: Record<string, unknown>, agentId: string) => {
    const result = await executor.run({ agentId, name, params, decision: "approve" })
    // The model's own words do not count: whatever is quoted here was read.
    expect(JSON.stringify(result)).not.toContain("SECRET")
    const key = `${name} ${result.status}`
    outcomes[key] = (outcomes[key] ?? 0) + 1
    return result
  }
  const edit = (old_string: string, new_string: string) => ({
    path: "d/a.txt",
    edits: [{ old_string, new_string }],
  })
  const lanes = [
    (_round: number) => call("read_file", { path: "d/a.txt" }, "reader"),
    (_round: number) => call("read_file", { path: "d/sub/deep.ts" }, "deep reader"),
    (round: number) => call("write_file", { path: `d/new-${round}`, content: "new" }, "writer"),
    (round: number) =>
      call("write_file", { path: `d/sub/made-${round % 20}/new-${round}`, content: "new" }, "folder maker"),
    (round: number) =>
      call("edit_file", round % 2 === 0 ? edit("inside", "edited") : edit("edited", "inside"), "editor"),
    (_round: number) => call("ast_grep", { pattern: "f($X)", paths: ["d"] }, "searcher"),
    async (_round: number) => {
      const ops = [{ pattern: "f($X)", replacement: "f($X)  " }]
      await call("ast_edit", { ops: [{ ...ops[0], replacement: "g($X)" }], paths: ["d"] }, "replacer")
      await executor.run({
        agentId: "replacer",
        name: "resolve",
        params: { action: "apply", reason: "a race" },
        decision: "approve",
      })
      await call("ast_edit", { ops: [{ pattern: "g($X)", replacement: "f($X)" }], paths: ["d"] }, "replacer")
      await executor.run({
        agentId: "replacer",
        name: "resolve",
        params: { action: "apply", reason: "a race" },
        decision: "approve",
      })
    },
  ]
  await Promise.all(
    lanes.map(async (lane) => {
      for (let round = 0; round < rounds; round++) await lane(round)
    }),
  )
  // There is to be a race, however the machine shares its cores: some come through, and some do not.
  while (!("read_file complete" in outcomes && "read_file error" in outcomes)) {
    expect(swapper.exitCode).toBeNull()
    await call("read_file", { path: "d/a.txt" }, "reader")
  }
  expect(swapper.exitCode).toBeNull()
  swapper.kill("SIGKILL")
  await once(swapper, "exit")
  if (process.env.RACE_ROUNDS !== undefined) console.log(outcomes)
  expect(stateOf(outside)).toEqual(before)
  expect(statSync(outside).ctimeMs).toBe(folderBefore)
})
