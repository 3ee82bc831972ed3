import { readFile, symlink, writeFile } from "node:fs/promises"
import { expect, it } from "vitest"
import { withFileMutationQueue } from "../../../src/custom-tools/index.ts"
import { useTempFolder } from "../../io/temp-folder.ts"

const path = useTempFolder()

/** Reads, lets everybody else have a turn, and writes. */
const append = (file: string, text: string): Promise<void> =>
  withFileMutationQueue(file, async () => {
    const before = await readFile(file, "utf8").catch(() => "")
    await new Promise((resolve) => setImmediate(resolve))
    await writeFile(file, before + text)
  })

it("changes a file once at a time, in the order of the calls, also one that is not there yet", async () => {
  await Promise.all(["a", "b", "c"].map((text) => append(path("new/../file"), text)))
  expect(await readFile(path("file"), "utf8")).toBe("abc")
})

it("takes a link and what it leads to for one file", async () => {
  await writeFile(path("real"), "")
  await symlink(path("real"), path("link"))
  await Promise.all([append(path("link"), "a"), append(path("real"), "b"), append(path("link"), "c")])
  expect(await readFile(path("real"), "utf8")).toBe("abc")
})

it("lets changes of other files go on, and the next one after a failure", async () => {
  let release = () => {}
  const held = withFileMutationQueue(path("a"), () => new Promise<void>((resolve) => (release = resolve)))
  expect(await withFileMutationQueue(path("b"), () => 2)).toBe(2)
  release()
  await held
  const failed = withFileMutationQueue(path("a"), () => {
    throw new Error("no")
  })
  const next = withFileMutationQueue(path("a"), () => 3)
  await expect(failed).rejects.toThrow("no")
  expect(await next).toBe(3)
})
