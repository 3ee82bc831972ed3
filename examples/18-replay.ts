// What would other rules have decided? Recorded calls are decided anew, and nothing of them runs.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { ToolFilters, ToolRegistry } from "stepline"
import { openDurableExecutor } from "stepline/durable"
import { shellTool } from "stepline/tools"

const folder = await mkdtemp(join(tmpdir(), "replay-"))
const store = join(folder, "calls.db")

// A day of an agent, in a store. Its person is asked about what no rule allows.
const durable = await openDurableExecutor({
  store,
  registry: new ToolRegistry([shellTool]),
  cwd: folder,
  filters: ToolFilters.compile({ shell: { allow: ["^echo\\b", "^touch\\b"] } }),
})
for (const command of ["echo hello", "touch report.txt", "ls", "cat report.txt"]) {
  const { status } = await durable.executor.run({ name: "shell", params: { command } }, (event) => {
    if (event._tag === "AwaitingApproval") event.approve({ by: "ann" })
  })
  console.log(`${command}: ${status}`)
}
await durable.close()

// `stepline replay` with new rules: what they allow, and what they forbid.
const rules = join(folder, "rules.toml")
await writeFile(rules, '[tools.shell]\nallow = ["^echo\\\\b", "^ls\\\\b"]\ndeny = ["^touch\\\\b"]\n')
const main = import.meta.resolve("stepline")
const cli = fileURLToPath(new URL(main.endsWith(".ts") ? "./cli.ts" : "./cli.js", main))
const args = ["replay", store, "--cwd", folder, "--no-discovery", "--rules", rules]
const child = spawn(process.execPath, [...process.execArgv, cli, ...args], { stdio: "inherit" })
const [status] = await once(child, "exit")
console.log(`Exit status ${status}: 1 where something would be decided otherwise`)
await rm(folder, { recursive: true })
