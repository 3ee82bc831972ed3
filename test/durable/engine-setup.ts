/** Before the engine's suites, where they run on durable executors: their stores, and what they leave out. */
import { relative } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeEach, type RunnerTask } from "vitest"
import { closeStores, openStores } from "../support/new-durable.ts"
import { differences } from "./engine-suites.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

const namesOf = (task: RunnerTask): Array<string> =>
  "tasks" in task ? task.tasks.flatMap(namesOf) : [task.name]

beforeEach(async ({ task, skip }) => {
  const leftOut = differences[relative(root, task.file.filepath)] ?? {}
  const names = new Set(namesOf(task.file))
  const unknown = Object.keys(leftOut).filter((name) => !names.has(name))
  if (unknown.length > 0) throw new Error(`There is no such test to leave out: ${unknown.join("; ")}`)
  const reason = leftOut[task.name]
  if (reason !== undefined) skip(reason)
  await openStores()
})

afterAll(closeStores)
