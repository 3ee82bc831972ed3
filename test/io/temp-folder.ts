/** A folder of its own for each test of a file, removed once all that the test has begun is over. */
import { mkdtemp, realpath, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { beforeEach, onTestFinished } from "vitest"

/** Gives a function from a name to its path in the current test's folder. */
export const useTempFolder = (): ((name?: string) => string) => {
  let folder = ""
  beforeEach(async () => {
    const made = await mkdtemp(join(await realpath(tmpdir()), "stepline-test-"))
    // A process that was killed may write its last into it meanwhile.
    onTestFinished(() => rm(made, { recursive: true, force: true, maxRetries: 10 }))
    folder = made
  })
  return (name = "") => join(folder, name)
}
