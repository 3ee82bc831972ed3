/** A second process: restores the snapshots that its standard input holds, and goes on as its first argument says. */
import { text } from "node:stream/consumers"
import { astEditTool, editFileTool } from "../../../src/impls/index.ts"
import { type CallSnapshot, type ToolEvent, ToolExecutor, ToolRegistry } from "../../../src/index.ts"

const [cwd, way] = process.argv.slice(2) as [string, "approve" | "deny" | "apply" | "discard"]
const executor = new ToolExecutor(new ToolRegistry([editFileTool, astEditTool]), { cwd })
const snapshots = JSON.parse(await text(process.stdin)) as Array<CallSnapshot>
const events: Array<ToolEvent> = []
for (const snapshot of snapshots) executor.restore(snapshot)
if (way === "apply" || way === "discard") {
  await executor.next()
  const onEvent = (event: ToolEvent) => {
    events.push(event)
    if (event._tag === "AwaitingApproval") event.approve()
  }
  await executor.agent().resolve({ action: way, reason: "so" }, { onEvent })
} else {
  for (let event = await executor.next(); event !== undefined; event = await executor.next()) {
    events.push(event)
    if (event._tag === "AwaitingApproval") way === "approve" ? event.approve() : event.deny("no")
    if (event._tag === "Delegate") event.succeed()
  }
}
await executor.shutdown()
process.stdout.write(JSON.stringify(events))
