// Time at a gate: somebody is warned before it is over, then somebody else is asked, and then the call is denied.
import { Type } from "@sinclair/typebox"
import { defineTool, pipeline, Step, ToolExecutor, ToolRegistry } from "stepline"

const deploy = defineTool({
  name: "deploy",
  description: "Deploys a service.",
  parameters: Type.Object({ service: Type.String() }),
  compose: ({ service }) =>
    pipeline()
      // Minutes in real life.
      .awaitApproval({ timeout: "400 millis", warn: "200 millis", onTimeout: "escalate" })
      .andThen(() => Step.Output(`${service} is deployed`)),
})

/** Whether somebody is at work at night. */
let isOnCall = true
const executor = new ToolExecutor(new ToolRegistry([deploy]), {
  onEscalate: ({ callId, name }) => {
    console.log(`Nobody answered: ${name} (${callId}) goes to the one on call`)
    if (isOnCall) executor.approve(callId, { by: "the one on call" })
  },
})

const run = async (callId: string): Promise<void> => {
  const call = { callId, name: deploy.name, params: { service: "shop" } }
  const { status, content, decidedBy } = await executor.run(call, (event) => {
    if (event._tag === "AwaitingApproval") console.log(`${callId} asks`)
    if (event._tag === "GateExpiring" && !event.escalated)
      console.log(`${callId}: hurry, its time is nearly over`)
  })
  console.log(`${status} by ${decidedBy?.kind} ${decidedBy?.id ?? ""}: ${content}`)
}

await run("first")
isOnCall = false
await run("second")
await executor.shutdown()
