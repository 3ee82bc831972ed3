// @module-tag waits
import { execFile } from "node:child_process"
import { chmod } from "node:fs/promises"
import { promisify } from "node:util"
import { beforeEach, describe, expect, it } from "vitest"
import { compileScript } from "../support/run-script.ts"
import { useTempFolder } from "./temp-folder.ts"

const path = useTempFolder()
beforeEach(() => chmod(path(), 0o755))

/** What the commands of a host print that changes its user. It must not wait for more than they take. */
const print = async (spawnHelper: string, when: string, command: string): Promise<string> => {
  const script = await compileScript("test/io/dropping-host.ts")
  const args = [script, spawnHelper, path(), when, command]
  return (await promisify(execFile)(process.execPath, args)).stdout.trim()
}

/** Only root can become somebody else. */
describe.runIf(process.getuid?.() === 0)("a host that has become another user", () => {
  it.each(["never", "always"])(
    "runs a command in a folder that it has checked (helper: %s)",
    async (helper) => {
      expect(await print(helper, "after", "id -u; pwd -P")).toBe(`65534\n${path()}`)
    },
  )

  it.each(["never", "always"])("runs nothing more as the user that it was (helper: %s)", async (helper) => {
    expect(await print(helper, "both", "id -u; id -g; id -G")).toBe("0\n0\n0\n65534\n65534\n65534")
  })

  it("keeps long outputs in a folder of its new user", async () => {
    expect(await print("never", "both", "seq 10000")).toBe("kept: true\nkept: true")
  })
})
