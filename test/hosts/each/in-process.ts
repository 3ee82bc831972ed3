/** The tool file in an executor of this process, for the hosts that are libraries. */
import { CustomTools } from "../../../src/custom-tools/index.ts"
import { allTools } from "../../../src/impls/index.ts"
import { ToolExecutor, ToolRegistry } from "../../../src/index.ts"
import { type Folder, toolFile } from "./host.ts"

export const executorIn = async ({ path: cwd }: Folder): Promise<ToolExecutor> => {
  const registry = new ToolRegistry(allTools())
  const custom = await CustomTools.load({ cwd, registry, paths: [toolFile], discovery: false })
  const executor = new ToolExecutor(registry, { cwd, hooks: custom.hooks })
  custom.attach(executor)
  await custom.emit({ reason: "start" })
  return executor
}
