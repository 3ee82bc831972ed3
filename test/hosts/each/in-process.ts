/** The tool file in an executor of this process, for the hosts that are libraries. */
import { runCodeTool } from "../../../src/code/index.ts"
import { CustomTools } from "../../../src/custom-tools/index.ts"
import type { LoopQuestion } from "../../../src/hosts/agent-loop/index.ts"
import { allTools } from "../../../src/impls/index.ts"
import { type AwaitingApprovalEvent, ToolExecutor, ToolFilters, ToolRegistry } from "../../../src/index.ts"
import { type Folder, toolFile, type User } from "./host.ts"

export const executorIn = async ({ path: cwd }: Folder): Promise<ToolExecutor> => {
  const registry = new ToolRegistry([...allTools(), runCodeTool({ tools: ["publish"] })])
  const custom = await CustomTools.load({ cwd, registry, paths: [toolFile], discovery: false })
  const filters = ToolFilters.compile({ run_code: { allow: ["."] } })
  const executor = new ToolExecutor(registry, { cwd, filters, hooks: custom.hooks })
  custom.attach(executor)
  await custom.emit({ reason: "start" })
  return executor
}

export const answerGate = (gate: AwaitingApprovalEvent, answer: User["answer"]): void => {
  if (answer === "approve") gate.approve()
  else if ("reason" in answer) gate.deny(answer.reason)
  else gate.approve(answer)
}

/** Options of a loop that asks about an edit, and about what a call calls, while the call runs. */
export const askDuring = (answer: User["answer"]) => ({
  ...(typeof answer === "object" && "params" in answer && { approval: "during" as const }),
  onQuestion: (question: LoopQuestion): void => {
    if (question._tag === "AwaitingApproval") answerGate(question, answer)
  },
})
