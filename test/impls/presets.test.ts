import { describe, expect, it } from "vitest"
import { allTools, readOnlyTools, subagentTools } from "../../src/impls/index.ts"
import { ToolRegistry } from "../../src/index.ts"
import { localMachine, type Machine } from "../../src/io/index.ts"
import { executorIn } from "./executor-in.ts"

const names = (tools: ReturnType<typeof allTools>) => new ToolRegistry(tools).names

describe("presets", () => {
  it("hold every tool, those that change nothing, and those for sub-agents", () => {
    const readers = [
      "list_background_tasks",
      "get_background_task",
      "wait_background_task",
      "read_background_output",
    ]
    const tasks = [...readers, "cancel_background_task"]
    const web = ["fetch_url", "fetch_html", "web_search"]
    const files = ["read_file", "write_file", "edit_file", "open_file", "shell", "ast_grep", "ast_edit"]
    const working = [...files, ...web, "record_correction", ...tasks, "undo"]
    expect(names(allTools())).toEqual([...working, "spawn_agent", "list_agents", "get_agent"])
    expect(names(readOnlyTools())).toEqual(["read_file", "ast_grep", ...web, ...readers])
    expect(names(subagentTools())).toEqual(working)
    expect(readOnlyTools().every(({ annotations }) => annotations.readOnly)).toBe(true)
  })

  it("advertise the background for tools that may run there, and not for those of tasks", () => {
    const advertised = new ToolRegistry(allTools())
      .definitions()
      .filter(({ parameters }) => "background" in (parameters.properties as object))
    const silent = allTools()
      .map(({ name }) => name)
      .filter((name) => !advertised.some((tool) => tool.name === name))
    expect(silent).toEqual([
      "list_background_tasks",
      "get_background_task",
      "wait_background_task",
      "read_background_output",
      "cancel_background_task",
      "undo",
      "list_agents",
      "get_agent",
    ])
  })

  it("work on the machine that they are given", async () => {
    const remote: Machine = {
      processes: {
        run: async ({ command, args, onOutput }) => {
          await onOutput("stdout", Buffer.from([command, ...args].join(" ")))
          return { code: 0, signal: null }
        },
      },
      files: {
        ...localMachine.files,
        stat: async (path) => ({ kind: path.endsWith("file") ? "file" : "directory", size: 6 }),
        async *chunks() {
          yield Buffer.from("remote")
        },
      },
    }
    expect(names(allTools(remote))).not.toContain("record_correction")
    expect(names(allTools({ ...localMachine, processes: remote.processes }))).toContain("record_correction")
    const executor = executorIn("/", allTools(remote))
    const read = await executor.run({ name: "read_file", params: { path: "file" } })
    expect(read.content).toBe("   1│remote")
    const ran = await executor.run({ name: "shell", params: { command: "ls" }, decision: "approve" })
    expect(ran.content).toBe("bash -c ls")
  })
})
