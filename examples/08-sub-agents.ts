// Sub-agents: a model hands work to agents of their own, on the same executor, for the same host. The models are scripted.
import { Notifications, noIde, type ToolEvent, ToolExecutor, ToolRegistry } from "stepline"
import { type RunAgent, SubAgents } from "stepline/hosts/sub-agents"
import { getAgentTool, listAgentsTool, shellTool, spawnAgentTool } from "stepline/tools"

/** Where a real host asks its user: this one sees at a glance which agent asks, and lets nobody remove anything. */
const show = (event: ToolEvent, label = "main"): void => {
  if (event._tag !== "AwaitingApproval") return
  const isFine = !JSON.stringify(event.params).includes("rm ")
  console.log(`? ${label}: ${event.name} ${JSON.stringify(event.params)} → ${isFine ? "yes" : "no"}`)
  if (isFine) event.approve()
  else event.deny("Remove nothing")
}

const scripts: Readonly<Record<string, ReadonlyArray<string>>> = {
  files: ["ls | wc -l"],
  cleaner: ["rm -rf build", "echo clean enough"],
}

/** Where a real agent asks its model, with `tools`, until that calls none of them any more. */
const runAgent: RunAgent = async (task, { label, tools, call }) => {
  console.log(`${label} begins to ${task}. It may call: ${tools.map((tool) => tool.name)}`)
  const lines: Array<string> = []
  for (const command of scripts[label] ?? []) {
    const { status, content } = await call({ name: "shell", params: { command } })
    lines.push(`${command}: ${status}, ${content.trim()}`)
  }
  return lines.join("\n")
}

const notifications = new Notifications()
const subAgents = new SubAgents(runAgent, {
  onEvent: show,
  onEnd: (agent) => notifications.agentEnded(agent),
})
const registry = new ToolRegistry([spawnAgentTool, listAgentsTool, getAgentTool, shellTool])
const delegates = { ...noIde, ...subAgents.delegates }
await using executor = new ToolExecutor(registry, { delegates, cwd: import.meta.dirname })
subAgents.attach(executor)

/** A call of the main agent's model, and what that is told. */
const main = async (name: string, params = {}): Promise<void> => {
  const { content } = await executor.run({ name, params }, show)
  console.log(`${name}: ${notifications.appendTo(content)}`)
}

await main("spawn_agent", { task: "count the files", label: "files" })
await main("spawn_agent", { task: "clean up", label: "cleaner" })
await main("list_agents")
await Promise.all([subAgents.wait("files"), subAgents.wait("cleaner")])
await main("list_agents")
await main("get_agent", { label: "cleaner" })
await main("get_agent", { label: "files" })
await main("list_agents")
