/**
 * Sets of built-in tools for a registry. Tools for files and processes work on the given machine; those for the web always send their
 * requests from this one.
 */
import { localMachine, type Machine } from "../io/machine.ts"
import { undoTool } from "../undo/undo-tool.ts"
import { makeAstEditTool } from "./ast-edit.ts"
import { makeAstGrepTool } from "./ast-grep.ts"
import { cancelBackgroundTaskTool } from "./cancel-background-task.ts"
import { makeEditFileTool } from "./edit-file.ts"
import { fetchHtmlTool } from "./fetch-html.ts"
import { fetchUrlTool } from "./fetch-url.ts"
import { getAgentTool } from "./get-agent.ts"
import { getBackgroundTaskTool } from "./get-background-task.ts"
import { listAgentsTool } from "./list-agents.ts"
import { listBackgroundTasksTool } from "./list-background-tasks.ts"
import { makeOpenFileTool } from "./open-file.ts"
import { readBackgroundOutputTool } from "./read-background-output.ts"
import { makeReadFileTool } from "./read-file.ts"
import { recordCorrectionTool } from "./record-correction.ts"
import { makeShellTool } from "./shell.ts"
import { spawnAgentTool } from "./spawn-agent.ts"
import { waitBackgroundTaskTool } from "./wait-background-task.ts"
import { webSearchTool } from "./web-search.ts"
import { makeWriteFileTool } from "./write-file.ts"

/** Tools that change nothing. */
const taskReaders = [
  listBackgroundTasksTool,
  getBackgroundTaskTool,
  waitBackgroundTaskTool,
  readBackgroundOutputTool,
]
const taskTools = [...taskReaders, cancelBackgroundTaskTool]

const webTools = [fetchUrlTool, fetchHtmlTool, webSearchTool]

/** Corrections are kept under a lock between processes of this machine. */
const correctionTools = ({ files }: Machine) => (files === localMachine.files ? [recordCorrectionTool] : [])

/**
 * The tools for an agent that works for another one: all except those that start agents. `record_correction` is included
 * only for the files of this machine.
 */
export const subagentTools = (machine: Machine = localMachine) => [
  makeReadFileTool(machine),
  makeWriteFileTool(machine),
  makeEditFileTool(machine),
  makeOpenFileTool(machine),
  makeShellTool(machine),
  makeAstGrepTool(machine),
  makeAstEditTool(machine),
  ...webTools,
  ...correctionTools(machine),
  ...taskTools,
  undoTool,
]

/** All built-in tools. */
export const allTools = (machine: Machine = localMachine) => [
  ...subagentTools(machine),
  spawnAgentTool,
  listAgentsTool,
  getAgentTool,
]

/** The tools that change nothing. */
export const readOnlyTools = (machine: Machine = localMachine) => [
  makeReadFileTool(machine),
  makeAstGrepTool(machine),
  ...webTools,
  ...taskReaders,
]
