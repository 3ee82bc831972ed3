// @module-tag waits
import { existsSync, mkdirSync, realpathSync, renameSync, rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { makeShellTool } from "../../src/impls/index.ts"
import { ToolExecutor, ToolFilters, ToolRegistry } from "../../src/index.ts"
import { localMachine, type Machine, makeLocalProcesses } from "../../src/io/index.ts"
import { useTempFolder } from "../io/temp-folder.ts"

const path = useTempFolder()

const processes = {
  "from here": makeLocalProcesses({ spawnHelper: "never" }),
  "from the spawn helper": makeLocalProcesses({ spawnHelper: "always" }),
}

const command = "touch ran; pwd"

/** A project with a package that its rules name, one that they do not, and a link to the first. */
const project = (): string => {
  const root = realpathSync(path())
  mkdirSync(join(root, "good"))
  mkdirSync(join(root, "evil"))
  symlinkSync(join(root, "good"), join(root, "link"))
  return root
}

const run = (machine: Machine, root: string, working_dir: string) => {
  const rule = { pattern: "^(touch ran|pwd)$", workingDir: "good" }
  const filters = ToolFilters.compile({ shell: { allow: [rule] } }, { cwd: root })
  const executor = new ToolExecutor(new ToolRegistry([makeShellTool(machine)]), { cwd: root, filters })
  return executor.run({ name: "shell", params: { command, working_dir } })
}

describe.each(["from here", "from the spawn helper"] as const)("a command that is started %s", (from) => {
  const machine = { ...localMachine, processes: processes[from] }

  it.each(["good", "link"])("runs in the folder that a rule was matched with: %s", async (folder) => {
    const root = project()
    const result = await run(machine, root, folder)
    expect(result).toMatchObject({
      content: `${join(root, "good")}\n`,
      decidedBy: { kind: "rule", folder: join(root, "good") },
    })
    expect(existsSync(join(root, "good", "ran"))).toBe(true)
  })

  it("does not run where a link leads elsewhere since a rule was matched", async () => {
    const root = project()
    const files: Machine["files"] = {
      ...machine.files,
      resolveLinks: (path) => {
        rmSync(join(root, "link"))
        symlinkSync(join(root, "evil"), join(root, "link"))
        return machine.files.resolveLinks(path)
      },
    }
    const result = await run({ ...machine, files }, root, "link")
    expect(result).toMatchObject({
      status: "error",
      content: `link does not lead to ${join(root, "good")} any more, which a rule approved. Nothing was run. Call it again to have it decided anew.`,
    })
    expect(existsSync(join(root, "evil", "ran"))).toBe(false)
  })

  it("does not run where a link takes the folder's place just before it starts", async () => {
    const root = project()
    const files: Machine["files"] = {
      ...machine.files,
      stat: async (path) => {
        const found = await machine.files.stat(path)
        renameSync(join(root, "good"), join(root, "moved"))
        symlinkSync(join(root, "evil"), join(root, "good"))
        return found
      },
    }
    const result = await run({ ...machine, files }, root, "good")
    expect(result).toMatchObject({
      status: "error",
      content:
        "The working directory good was moved, or replaced by a link, while the command was about to start. Nothing was run. Call it again.",
    })
    expect(existsSync(join(root, "evil", "ran"))).toBe(false)
    expect(existsSync(join(root, "moved", "ran"))).toBe(false)
  })
})

it("a person who approves a link approves where it leads when the command starts", async () => {
  const root = project()
  const executor = new ToolExecutor(new ToolRegistry([makeShellTool(localMachine)]), { cwd: root })
  const params = { command, working_dir: "link" }
  const result = await executor.run({ name: "shell", params }, (event) => {
    if (event._tag !== "AwaitingApproval") return
    rmSync(join(root, "link"))
    symlinkSync(join(root, "evil"), join(root, "link"))
    event.approve()
  })
  expect(result.content).toBe(`${join(root, "evil")}\n`)
})
