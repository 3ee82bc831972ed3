/** One call of a tool through an executor whose time stands still, to its result. */
import type { Tool, ToolResult } from "../../src/index.ts"
import { virtualTime } from "../support/virtual-time.ts"

/** `gate` says whether the host may be asked; where it may, it approves. */
export const resultOf = async (
  tool: Tool,
  params: unknown,
  gate: "approved" | "unasked" = "approved",
  cwd = "/",
): Promise<ToolResult> => {
  const { executor } = await virtualTime({ [tool.name]: tool }, { cwd })
  return executor.run({ name: tool.name, params }, (event) => {
    if (event._tag !== "AwaitingApproval") return
    if (gate === "unasked") throw new Error("The host was asked")
    event.approve()
  })
}
