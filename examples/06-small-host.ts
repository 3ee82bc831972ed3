// A host in thirty lines: it draws what happens and answers what only a host can answer.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type AwaitingApprovalEvent, noIde, ToolExecutor, ToolRegistry } from "stepline"
import { allTools } from "stepline/tools"

const cwd = await mkdtemp(join(tmpdir(), "stepline-"))
await writeFile(join(cwd, "greeting.txt"), "hello world\n")

/** Where a real host asks its user. */
const decide = (event: AwaitingApprovalEvent): boolean => {
  console.log(`? ${event.name}(${JSON.stringify(event.params)})`)
  for (const block of event.preview?.content ?? []) if (block.type === "text") console.log(block.text)
  return event.name === "edit_file"
}

await using executor = new ToolExecutor(new ToolRegistry(allTools()), {
  cwd,
  workspace: cwd,
  delegates: noIde,
})

// What a model would have called.
executor.agent("main").enqueueTurn([
  { name: "read_file", params: { path: "greeting.txt" } },
  {
    name: "edit_file",
    params: { path: "greeting.txt", edits: [{ old_string: "world", new_string: "pipeline" }] },
  },
  { name: "shell", params: { command: "rm -rf /" } },
])

for (let event = await executor.next(); event !== undefined; event = await executor.next()) {
  if (event._tag === "Started") console.log(`⚙ ${event.name}`)
  else if (event._tag === "AwaitingApproval")
    decide(event) ? event.approve() : event.deny("Not on my machine")
  else if (event._tag === "Delta") process.stdout.write(event.content)
  else if (event._tag === "Completed") console.log(`✓ ${event.content}`)
  else if (event._tag === "Error" || event._tag === "Denied") console.log(`✗ ${event.content}`)
}

console.log(await readFile(join(cwd, "greeting.txt"), "utf8"))
await rm(cwd, { recursive: true })
