/** A real run for the pictures of the page: it stands still where somebody is to answer, with a call opened in every state. */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { defineTool, noIde, pipeline, Step, ToolExecutor, ToolFilters, ToolRegistry } from "stepline"
import { serveWeb, type Web } from "stepline/hosts/web"
import { editFileTool, readFileTool, shellTool } from "stepline/tools"

const files = {
  "sum.mjs": "export const sum = (a, b) => a - b\n",
  "mean.mjs":
    'import { sum } from "./sum.mjs"\n\nexport const mean = (list) => list.reduce(sum) / list.length\n',
  "sum.test.mjs":
    'import test from "node:test"\nimport { sum } from "./sum.mjs"\ntest("sum", () => { if (sum(1, 2) !== 3) throw new Error("no") })\n',
  "build.sh": "for part in core hosts site; do echo $part; sleep 1; done\n",
  "deploy.sh": "sleep 1.5\n",
}

/** Runs other tools as calls of its own. */
const review = defineTool({
  name: "review",
  label: "Review",
  description: "Reads files, and runs their tests.",
  parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] } as const,
  primaryParam: "path",
  compose: ({ path }) =>
    pipeline().andThen({
      name: "Review",
      call: async (context) => {
        await context.call("read_file", { path: "sum.test.mjs" })
        await context.call("read_file", { path })
        await context.call("shell", { command: "node --test" })
        return Step.Output("No complaints.")
      },
    }),
})

/** As nobody answers for a while: the timeline folds that. */
const idle = (): Promise<void> => pause(12_000)

/** What a model would take between two turns. */
const think = (): Promise<void> => pause(420)

/** The page about the run. Ends with `Symbol.asyncDispose`. */
export const pageOfRun = async (): Promise<AsyncDisposable & { readonly web: Web }> => {
  const cwd = await mkdtemp(join(tmpdir(), "stepline-"))
  for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, name), text)
  const filters = ToolFilters.compile(
    { shell: { allow: ["^node --test$", "^bash build\\.sh$", "^bash deploy\\.sh$"] } },
    { cwd },
  )
  const tools = [readFileTool, editFileTool, shellTool, review]
  const registry = new ToolRegistry(tools)
  const limits = [{ tools: ["shell"], concurrency: 2 }]
  const executor = new ToolExecutor(registry, { cwd, filters, delegates: noIde, limits })
  const web = await serveWeb(executor, { title: "fix the sums", tools: registry })
  const run = (name: string, params: object, more: { readonly agentId?: string } = {}) =>
    executor.run({ name, params, ...more }, async (event) => {
      if (event._tag !== "AwaitingApproval") return
      await think()
      if (event.name === "shell") event.deny("Keep the last build.")
      else event.approve()
    })
  executor.enqueue([
    { name: "shell", callId: "build", params: { command: "bash build.sh" }, background: true },
  ])
  await run("read_file", { path: "sum.mjs" })
  await think()
  await run("shell", { command: "node --test" })
  await think()
  await run("edit_file", { path: "sum.mjs", edits: [{ old_string: "a - b", new_string: "a + b" }] })
  await run("review", { path: "sum.mjs" }, { agentId: "reviewer" })
  await run("shell", { command: "rm -rf dist" }, { agentId: "reviewer" })
  await think()
  const edits = [{ old_string: "list.reduce(sum)", new_string: "list.reduce(sum, 0)" }]
  executor.enqueue([
    { name: "edit_file", callId: "mean", params: { path: "mean.mjs", edits } },
    { name: "read_file", params: { path: "sum.test.mjs" } },
    { name: "shell", agentId: "reviewer", params: { command: "git push --force" } },
    { name: "shell", agentId: "deploy", params: { command: "bash deploy.sh" } },
    { name: "shell", agentId: "release", params: { command: "npm publish --tag next" } },
    { name: "shell", agentId: "docs", params: { command: "node --test" } },
  ])
  await idle()
  return {
    web,
    [Symbol.asyncDispose]: async () => {
      await executor.shutdown()
      await web.close()
      await rm(cwd, { recursive: true })
    },
  }
}
