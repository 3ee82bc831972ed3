import { describe, expect, it } from "vitest"
import { getAgentTool } from "../../src/impls/get-agent.ts"
import { listAgentsTool } from "../../src/impls/list-agents.ts"
import { spawnAgentTool } from "../../src/impls/spawn-agent.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { conforms } from "./conformance.ts"
import { drive } from "./drive.ts"
import { executorIn } from "./executor-in.ts"

const path = useTempFolder()

conforms({
  tool: spawnAgentTool,
  cwd: path,
  prepare: () => ({ task: "Count the files", label: "count", context: "They are in src." }),
  badParams: { task: "" },
  asks: true,
  effects: ["SpawnAgent"],
  cleanup: [],
})

conforms({
  tool: listAgentsTool,
  cwd: path,
  prepare: () => ({}),
  badParams: "none",
  asks: false,
  effects: ["ListAgents"],
  cleanup: [],
})

conforms({
  tool: getAgentTool,
  cwd: path,
  prepare: () => ({ label: "count" }),
  badParams: {},
  asks: false,
  effects: ["GetAgent"],
  cleanup: [],
})

describe("the tools of agents", () => {
  it.each([
    [
      spawnAgentTool,
      { task: "Count", label: "count", context: "In src." },
      { _tag: "SpawnAgent", task: "Count", label: "count", context: "In src." },
    ],
    [spawnAgentTool, { task: "Count" }, { _tag: "SpawnAgent", task: "Count" }],
    [listAgentsTool, {}, { _tag: "ListAgents" }],
    [getAgentTool, { label: "count" }, { _tag: "GetAgent", label: "count" }],
  ])(
    "hand the host what the model asked, and the model what the host answered",
    async (tool, params, effect) => {
      const executor = executorIn(path(), [tool])
      executor.enqueue([{ name: tool.name, params }])
      const events = await drive(executor, { onDelegate: (event) => event.succeed("the answer") })
      expect(events.flatMap((event) => (event._tag === "Delegate" ? [event.effect] : []))).toEqual([effect])
      expect(events.at(-1)).toMatchObject({ _tag: "Completed", content: "the answer" })
    },
  )
})
