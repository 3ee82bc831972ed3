// @module-tag waits
/** What a session tells beside the blocks of calls: tasks that have ended, and corrections. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { useCli } from "../../cli/built-cli.ts"
import { PseudoTerminal } from "./pseudo-terminal.ts"

const cli = useCli()
let cwd: string

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "stepline-notes-"))
})

afterEach(() => rm(cwd, { recursive: true, force: true }))

const openSession = async (): Promise<PseudoTerminal> => {
  const terminal = new PseudoTerminal([cli.path, "--allow", "shell=."], { cwd, columns: 120, rows: 40 })
  await terminal.see(/\/help[\s\S]*›$/)
  return terminal
}

const untilThere = (name: string): string => `until [ -e ${name} ]; do sleep 0.05; done`

describe("a background task that has ended", () => {
  test("is told once the foreground is free, above the next prompt", async () => {
    await using terminal = await openSession()
    terminal.enter(`shell ${untilThere("one")} &`)
    await terminal.see("task_id: 1")
    terminal.enter(`shell ${untilThere("two")}`)
    await terminal.see("⚙ shell(")
    await writeFile(join(cwd, "one"), "")
    const between = await terminal.see("✓ [bg] shell(")
    expect(between).not.toContain("has ended")
    await writeFile(join(cwd, "two"), "")
    await terminal.see(
      /✓ shell\(until.*\n.*\ntask 1: shell has ended \[Complete\]; \/take 1 takes its result\.\n\n›$/,
    )
  })

  test("is not told of any more when its result was taken", async () => {
    await using terminal = await openSession()
    terminal.enter(`shell ${untilThere("one")}; exit 3 &`)
    await terminal.see("task_id: 1")
    terminal.enter(`shell ${untilThere("two")}`)
    await terminal.see("⚙ shell(")
    await writeFile(join(cwd, "one"), "")
    await terminal.see("✗ [bg] shell(")
    terminal.enter("/take 1")
    await terminal.see(/› \/take 1\n✗ \[bg\] shell/)
    await writeFile(join(cwd, "two"), "")
    const screen = await terminal.see(/✓ shell\(until.*\n.*\n\n›$/)
    expect(screen).not.toContain("has ended")
  })
})

describe("corrections", () => {
  const lesson = (goal: string) => ({
    goal,
    failed_attempt: "npm run build\nin src",
    successful_approach: "npm run build in the root",
  })

  const file = async (text: string): Promise<void> => {
    await mkdir(join(cwd, ".stepline"))
    await writeFile(join(cwd, ".stepline/corrections.json"), text)
  }

  test("are counted when a session begins, and listed by /corrections, the newest first", async () => {
    await file(JSON.stringify([lesson("Build it"), lesson("Build \u001b[31mit again")]))
    await using terminal = await openSession()
    expect(terminal.screen()).toContain("2 corrections are recorded here; /corrections shows them.")
    terminal.enter("/corrections")
    await terminal.see(
      /\nBuild it again\n {2}✗ npm run build ⏎ in src\n {2}✓ npm run build in the root\nBuild it\n[\s\S]*\n\n›$/,
    )
  })

  test("that are recorded in the session are there at once", async () => {
    await using terminal = await openSession()
    expect(terminal.screen()).not.toContain("correction")
    terminal.enter("/corrections")
    await terminal.see("No corrections are recorded here.")
    terminal.enter(`record_correction ${JSON.stringify(lesson("Build it"))}`)
    await terminal.see("Correction recorded in")
    terminal.enter("/corrections")
    await terminal.see(/› \/corrections\nBuild it\n/)
  })

  test("that cannot be read are named, and the session works without them", async () => {
    await file("[{")
    await using terminal = await openSession()
    const damaged = /corrections\.json is damaged: it is not a JSON list of\s+corrections\./
    expect(terminal.screen()).toMatch(damaged)
    terminal.enter("/corrections")
    await terminal.see(new RegExp(`› /corrections\\n.*${damaged.source}`))
    terminal.enter("shell echo fine")
    await terminal.see("✓ shell(echo fine)")
  })
})
