// Code of a model that renames a function in ten files: it finds them, and plans the edits. All of them are asked about at once, each with
// its diff; eight are approved together, two are denied.
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type AwaitingApprovalEvent, noIde, ToolExecutor, ToolFilters, ToolRegistry } from "stepline"
import { runCodeTool } from "stepline/code"
import { editFileTool, shellTool } from "stepline/tools"

const cwd = await mkdtemp(join(tmpdir(), "code-edits-"))
await mkdir(join(cwd, "src"))
const names = "cart checkout invoice mail orders prices stock taxes legacy-shop legacy-till".split(" ")
for (const name of names)
  await writeFile(
    join(cwd, "src", `${name}.js`),
    `export const ${name.replace("-", "_")} = () => getPrice(1)\n`,
  )

const registry = new ToolRegistry([shellTool, editFileTool])
registry.register(runCodeTool({ tools: ["shell", "edit_file"] }))
const filters = ToolFilters.compile({ run_code: { allow: [".*"] }, shell: { allow: ["^grep "] } })
await using executor = new ToolExecutor(registry, { cwd, filters, delegates: noIde })

// What the model wrote.
const source = `
const found = (await tools.shell({ command: "grep -rl getPrice src" })).trim().split("\\n").sort()
for (const path of found) {
  await tools.edit_file({ path, edits: [{ old_string: "getPrice(", new_string: "priceOf(" }] })
}
return found.length + " files use getPrice"`

const asked: Array<AwaitingApprovalEvent> = []
const { content } = await executor.run({ name: "run_code", params: { source, plan: true } }, (event) => {
  if (event._tag !== "AwaitingApproval") return
  asked.push(event)
  if (asked.length < names.length) return
  // Their previews are ready in any order.
  asked.sort((one, other) => one.callId.localeCompare(other.callId, "en", { numeric: true }))
  console.log(`${asked.length} edits wait. The first one: ${JSON.stringify(asked[0]?.params)}`)
  // The person looks at the list, and chooses.
  const answers = asked.map(({ callId, params }) =>
    JSON.stringify(params).includes("legacy")
      ? { callId, deny: "Legacy code stays as it is" }
      : { callId, approve: true as const },
  )
  executor.answer(answers, { by: "ann" })
})
console.log(content)
console.log(await readFile(join(cwd, "src/cart.js"), "utf8"))
await rm(cwd, { recursive: true })
