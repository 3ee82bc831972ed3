// A plan that waits for its approval: a standing handler of `resolve`, while the agent may only read.
import { Type } from "@sinclair/typebox"
import {
  defineTool,
  pipeline,
  type ResolveParams,
  Step,
  ToolError,
  ToolExecutor,
  ToolRegistry,
} from "stepline"

const tool = (name: string, answer: string) =>
  defineTool({
    name,
    description: answer,
    parameters: Type.Object({ path: Type.String({ description: "The file." }) }),
    compose: ({ path }) => pipeline().andThen(() => Step.Output(`${answer} ${path}`)),
  })

const registry = new ToolRegistry([tool("read_code", "Read"), tool("change_code", "Changed")])
await using executor = new ToolExecutor(registry)
const agent = executor.agent("main")
/** Where a real host shows the plan and asks its user. */
const answers = ["Say how you will test it", undefined]
const planApproval = Object.assign(
  ({ action, reason, extra }: ResolveParams) => {
    const title = extra?.title ?? "Untitled"
    if (action === "discard") return leavePlanning(`The plan "${title}" is given up.`)
    console.log(`The user reads "${title}": ${reason}`)
    const objection = answers.shift()
    // A ToolError goes to the model as it is. The handler stands: the agent goes on planning.
    if (objection !== undefined) throw new ToolError(`The plan is sent back: ${objection}.`)
    return leavePlanning(`The plan "${title}" is approved. Carry it out.`)
  },
  { label: "Plan approval", sourceToolName: "plan" },
)

const leavePlanning = (message: string): string => {
  agent.setActiveTools(registry.names)
  agent.setStandingResolveHandler(undefined)
  return message
}

/** What a model would call in one turn. */
const turn = async (name: string, params: Record<string, unknown>): Promise<void> => {
  console.log(`Tools: ${agent.definitions().map((definition) => definition.name)}`)
  const { status, content } = await executor.run({ name, params })
  console.log(`— ${name}, ${status}: ${content}\n`)
}

agent.setActiveTools(["read_code"])
agent.setStandingResolveHandler(planApproval)
await turn("read_code", { path: "shop.ts" })
await turn("change_code", { path: "shop.ts" }) // not while it plans
const extra = { title: "Prices with tax" }
await turn("resolve", { action: "apply", reason: "Add the tax in sum()", extra })
await turn("resolve", { action: "apply", reason: "Add the tax in sum(), and a test of it", extra })
await turn("change_code", { path: "shop.ts" })
