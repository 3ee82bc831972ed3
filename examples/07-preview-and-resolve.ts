// A preview that the model applies or discards later: structural edits, the reminder, the tool `resolve`, and the host's yes.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type ToolEvent, ToolExecutor, ToolRegistry } from "stepline"
import { astEditTool } from "stepline/tools"

const cwd = await mkdtemp(join(tmpdir(), "stepline-"))
await writeFile(join(cwd, "shop.ts"), "const total = sum(net(1), net(net(2)))\nnet()\n")
await writeFile(join(cwd, "notes.md"), "net(1) is no code here\n")

await using executor = new ToolExecutor(new ToolRegistry([astEditTool]), { cwd, workspace: cwd })
const main = "main"

/** What a model would call. */
const edit = async (pattern: string, replacement: string): Promise<void> => {
  const params = { ops: [{ pattern, replacement }], paths: ["."] }
  const { status, content } = await executor.run({ name: "ast_edit", params })
  console.log(`— ast_edit ${pattern}: ${status}\n${content}\n`)
}
/** Before files are written the host is asked, with the same preview. A person would look at it here. */
const decide = (event: ToolEvent): void => {
  if (event._tag === "AwaitingApproval") event.approve()
}
const resolve = async (action: "apply" | "discard", reason: string): Promise<void> => {
  const { status, content } = await executor.agent(main).resolve({ action, reason }, { onEvent: decide })
  console.log(`— resolve ${action}: ${status}\n${content}\n`)
}
const tools = () =>
  executor
    .agent(main)
    .definitions()
    .map(({ name }) => name)

console.log(`The model has ${tools().join(", ")}.\n`)

// Nothing matches: an error, and nothing waits.
await edit("gross($A)", "net($A)")

// The preview changes nothing. From now on `resolve` is offered, and the host knows what to remind the model of.
await edit("net($A)", "withTax($A, { rate: 0.2 })")
console.log(`The model has ${tools().join(", ")}.`)
console.log(`${executor.agent(main).toolChoice()?.reminder.text}\n`)
await resolve("discard", "The rate belongs into the settings")

await edit("net($$$A)", "withTax(settings, $$$A)")
await resolve("apply", "Now it reads the settings")
console.log(await readFile(join(cwd, "shop.ts"), "utf8"))

// A file that changes while its preview waits is not touched.
await edit("withTax($$$A)", "tax($$$A)")
await writeFile(join(cwd, "shop.ts"), "withTax(mine)\n")
await resolve("apply", "Shorter")
await resolve("discard", "Somebody else is at work there")
console.log(await readFile(join(cwd, "shop.ts"), "utf8"))

await rm(cwd, { recursive: true })
