/** `stepline TOOL ARGS…`: one call, in the syntax of a session. */
import { parseWords } from "../hosts/terminal/arguments.ts"
import { callableTools, findTool } from "../hosts/terminal/input.ts"
import type { ToolExecutor } from "../pipeline/executor.ts"
import { type RunOptions, runCalls } from "./run-command.ts"
import type { ScriptStep } from "./script.ts"
import { UsageError } from "./usage-error.ts"

const stepsOf = (
  name: string,
  words: ReadonlyArray<string>,
  executor: ToolExecutor,
  commands: ReadonlyArray<string>,
): Array<ScriptStep> => {
  const tools = callableTools(executor)
  const tool = findTool(name, tools)
  if (tool === undefined) {
    throw new UsageError(
      `There is no command or tool \`${name}\`. Commands: ${commands.join(", ")}. Tools: ${tools.names.join(", ")}`,
    )
  }
  const parsed = parseWords(tool, words)
  if (parsed._tag === "Invalid") throw new UsageError(parsed.message)
  const call = { callId: "1", name: tool.name, params: parsed.params }
  return [{ _tag: "Call", call, expect: "complete" }]
}

/** Resolves with the exit status. @param commands What else the word could have been. */
export const callCommand = (
  [name = "", ...words]: ReadonlyArray<string>,
  options: RunOptions,
  commands: ReadonlyArray<string>,
): Promise<number> => {
  if (options.durable !== undefined)
    throw new UsageError("--durable is for a session, and for `stepline run`: not for a single call.")
  return runCalls((executor) => stepsOf(name, words, executor, commands), {
    ...options,
    lone: name,
    isScriptOnStdin: false,
  })
}
