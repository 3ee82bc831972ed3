// @module-tag waits
import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, it } from "vitest"
import { usePostgres } from "./servers/postgres.ts"
import { describeWith } from "./support/needs.ts"
import { compileScript, root } from "./support/run-script.ts"

describeWith("postgres")("a call whose host is killed at its gate goes on in an engine of", () => {
  const server = usePostgres()

  const linesOf = async (file: string): Promise<ReadonlyArray<string>> => {
    const script = await compileScript(join(root, "examples/engines", file))
    const { stdout } = await promisify(execFile)(process.execPath, [script, await server.database()])
    return stdout.trim().split("\n")
  }

  it("DBOS, where no handler runs twice", async () => {
    expect(await linesOf("dbos.ts")).toEqual([
      "Child: checked home",
      'Child: asks: publish {"page":"home"}',
      "The child is killed.",
      "published home",
      "closed",
      "complete: published home",
    ])
  })

  it("Effect, by its snapshot", async () => {
    // Effect begins a workflow's body anew after each wait: the next host asks a second time if the answer comes after its first.
    const lines = await linesOf("effect-workflow.ts")
    expect(lines.filter((line, at) => line !== "asks: publish home" || line !== lines[at - 1])).toEqual([
      "Child: checked home",
      "Child: asks: publish home",
      "The child is killed.",
      "asks: publish home",
      "published home",
      "closed",
      "Completed: published home",
    ])
  })
})
