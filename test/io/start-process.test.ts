// @module-tag waits
// @module-tag alone
// @module-tag node
import { expect, it } from "vitest"
import { localProcesses } from "../../src/io/index.ts"

const parent = async (): Promise<number> => {
  let text = ""
  await localProcesses.run({
    command: "bash",
    args: ["-c", "echo $PPID"],
    cwd: "/",
    onOutput: (_, bytes) => {
      text += Buffer.from(bytes).toString()
    },
  })
  return Number(text)
}

it("a process that has grown starts a few processes itself, and has a helper start the rest", async () => {
  const ballast = Buffer.alloc(120_000_000, 1)
  expect([await parent(), await parent(), await parent()]).toEqual([process.pid, process.pid, process.pid])
  let last = process.pid
  while (last === process.pid) last = await parent()
  expect([await parent(), await parent()]).toEqual([last, last])
  expect(ballast).toHaveLength(120_000_000)
})
