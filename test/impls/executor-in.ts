/** An executor of one tool in a folder; shut down when its test is over. */
import { onTestFinished } from "vitest"
import { type Tool, ToolExecutor, type ToolExecutorOptions, ToolRegistry } from "../../src/index.ts"

export const executorIn = (cwd: string, tools: ReadonlyArray<Tool>, options: ToolExecutorOptions = {}) => {
  const executor = new ToolExecutor(new ToolRegistry(tools), { cwd, ...options })
  onTestFinished(() => executor.shutdown())
  return executor
}
