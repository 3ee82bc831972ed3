/** A folder of its own for each test of a file, removed afterwards. */
import { mkdtemp, realpath, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach } from "vitest"

/** Gives a function from a name to its path in the current test's folder. */
export const useTempFolder = (): ((name?: string) => string) => {
  let folder = ""
  beforeEach(async () => {
    folder = await mkdtemp(join(await realpath(tmpdir()), "stepline-test-"))
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))
  return (name = "") => join(folder, name)
}
