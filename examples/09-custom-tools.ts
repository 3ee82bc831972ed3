// Tools written for other agents, unmodified: one of oh-my-pi and one of pi, run by the same executor.
import { execFileSync } from "node:child_process"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { ToolExecutor, ToolRegistry } from "stepline"
import { CustomTools } from "stepline/custom-tools"

const cwd = await mkdtemp(join(tmpdir(), "stepline-"))
await writeFile(join(cwd, "shop.ts"), "export const total = 3\n")
execFileSync("git", ["init", "--quiet"], { cwd })
execFileSync("git", ["add", "shop.ts"], { cwd })

// `discovery` would also look in the places where both agents keep their tools: .omp/tools, .pi/extensions, …
const registry = new ToolRegistry()
const paths = [join(import.meta.dirname, "custom-tools"), "no-such-tool.ts"]
const customTools = await CustomTools.load({ cwd, registry, paths, discovery: false })
for (const { name, resolvedPath } of customTools.tools) console.log(`${name} from ${basename(resolvedPath)}`)
for (const { error } of customTools.errors) console.log(error)

// Their listeners become the executor's hooks: they may block calls, change arguments and rewrite results.
await using executor = new ToolExecutor(registry, { cwd, hooks: customTools.hooks })
customTools.attach(executor)
await customTools.emit({ reason: "start" })

/** Each call asks first, unless its tool says that it only reads; here everything is approved. */
const call = async (name: string, params: object): Promise<void> => {
  const { status, content } = await executor.run({ name, params }, (event) => {
    if (event._tag === "AwaitingApproval") event.approve()
    if (event._tag === "Delta") console.log(`… ${event.content} ${JSON.stringify(event.partial)}`)
  })
  console.log(`— ${name}: ${status}\n${content}\n`)
}

await call("repo_stats", { glob: "*.ts" })
await call("repo_stats", { glob: 5 })
await call("take_note", { text: "the total is 3" })
await call("take_note", { text: "the password is 3" })
console.log(await readFile(join(cwd, "NOTES.md"), "utf8"))

await customTools.emit({ reason: "shutdown" })
await rm(cwd, { recursive: true })
