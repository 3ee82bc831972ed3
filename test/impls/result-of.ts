/** One call of a tool through an executor, to its result. */
import { onTestFinished } from "vitest"
import { type Tool, ToolExecutor, ToolRegistry, type ToolResult } from "../../src/index.ts"

/** `gate` says whether the host may be asked; where it may, it approves. */
export const resultOf = async (
  tool: Tool,
  params: unknown,
  gate: "approved" | "unasked" = "approved",
  cwd = "/",
): Promise<ToolResult> => {
  const executor = new ToolExecutor(new ToolRegistry([tool]), { cwd })
  onTestFinished(() => executor.shutdown())
  return executor.run({ name: tool.name, params }, (event) => {
    if (event._tag !== "AwaitingApproval") return
    if (gate === "unasked") throw new Error("The host was asked")
    event.approve()
  })
}
