/** Sets of built-in tools, for a registry to start from. Each works on the machine that it is given. */
import { localMachine, type Machine } from "../io/machine.ts"
import type { Tool } from "../pipeline/tool.ts"
import { astEditToolFor } from "./ast-edit.ts"
import { astGrepToolFor } from "./ast-grep.ts"
import { editFileToolFor } from "./edit-file.ts"
import { fetchHtmlTool } from "./fetch-html.ts"
import { fetchUrlTool } from "./fetch-url.ts"
import { getAgentTool } from "./get-agent.ts"
import { getBackgroundTaskTool } from "./get-background-task.ts"
import { listAgentsTool } from "./list-agents.ts"
import { listBackgroundTasksTool } from "./list-background-tasks.ts"
import { openFileToolFor } from "./open-file.ts"
import { readFileToolFor } from "./read-file.ts"
import { recordCorrectionTool } from "./record-correction.ts"
import { shellToolFor } from "./shell.ts"
import { spawnAgentTool } from "./spawn-agent.ts"
import { webSearchTool } from "./web-search.ts"
import { writeFileToolFor } from "./write-file.ts"

const taskTools = [listBackgroundTasksTool, getBackgroundTaskTool]

const webTools = [fetchUrlTool, fetchHtmlTool, webSearchTool]

/** What an agent that works for another one may use: all but the tools that start agents. */
export const subagentTools = (machine: Machine = localMachine): Array<Tool> => [
  readFileToolFor(machine),
  writeFileToolFor(machine),
  editFileToolFor(machine),
  openFileToolFor(machine),
  shellToolFor(machine),
  astGrepToolFor(machine),
  astEditToolFor(machine),
  ...webTools,
  recordCorrectionTool,
  ...taskTools,
]

/** Everything. */
export const allTools = (machine: Machine = localMachine): Array<Tool> => [
  ...subagentTools(machine),
  spawnAgentTool,
  listAgentsTool,
  getAgentTool,
]

/** What changes nothing. */
export const readOnlyTools = (machine: Machine = localMachine): Array<Tool> => [
  readFileToolFor(machine),
  astGrepToolFor(machine),
  ...webTools,
  ...taskTools,
]
