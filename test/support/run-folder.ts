/**
 * A folder for what the test files of one run share. Each makes what it needs when it is the first; it is removed when the run ends,
 * and its servers end.
 */
import { randomUUID } from "node:crypto"
import { mkdir, rm } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import type { TestProject } from "vitest/node"
import { endPostgres } from "../servers/postgres-folders.ts"

declare module "vitest" {
  interface ProvidedContext {
    runFolder: string
  }
}

// Inside node_modules, so that imports of packages are found from there.
const cache = fileURLToPath(new URL("../../node_modules/.cache/", import.meta.url))

export default async (project: TestProject): Promise<() => Promise<void>> => {
  const folder = `${cache}stepline-test-${randomUUID()}`
  const remove = async () => {
    await endPostgres(folder)
    await rm(folder, { recursive: true, force: true })
  }
  // Not of `mkdtemp`, whose folders are closed to other users: some tests run as one.
  await mkdir(folder, { recursive: true })
  project.provide("runFolder", folder)
  // Where tests are watched, the sources have changed.
  project.onTestsRerun(async () => {
    await remove()
    await mkdir(folder)
  })
  return remove
}
