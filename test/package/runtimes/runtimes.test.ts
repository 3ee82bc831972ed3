// @module-tag waits
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { readFile } from "node:fs/promises"
import { promisify } from "node:util"
import { beforeAll, beforeEach, describe, expect, it } from "vitest"
import { makeFifo } from "../../io/fifo.ts"
import { useTempFolder } from "../../io/temp-folder.ts"
import { compileScript, root } from "../../support/run-script.ts"
import { runtimes } from "./other-runtime.ts"

const path = useTempFolder()

let script: string
let host: string
beforeAll(async () => {
  script = await compileScript("test/package/runtimes/runtime-script.ts")
  host = await compileScript("test/io/running-host.ts")
})

const out = (text: string, status = "complete") => [text, status]

const expected: ReadonlyArray<ReadonlyArray<unknown>> = [
  ["a gate", "hello you", ["Started", "AwaitingApproval", "finally", "Completed"]],
  ["after foreign code"],
  [...out("write_file"), "Created a.txt (1 line)"],
  [...out("edit_file"), "Successfully applied 1 edit(s) to a.txt"],
  ["a new file", true],
  [...out("read_file"), "   1│two"],
  ["a path that leads out", "error"],
  ["a path that leads out", "error"],
  [...out("shell"), "out\n[stderr]\nerr\n[exit code: 3]"],
  [...out("shell", "error"), "Command timed out after 1 s"],
  ["all ended", ""],
  ["a cancelled command", "AbortError"],
  ["all ended", ""],
  ["a rule", "ls", "approve"],
  ["a rule", "ls && rm -rf x", "deny"],
  ["a rule", "make", "ask"],
  ["a rule", "ls curl\\|curl\\|curl\\", "ask"],
  ["a slow rule", "deny"],
  ["a request", "127.0.0.1", "", "PrivateAddressError"],
  ["a request", "127.1", "", "PrivateAddressError"],
  ["a request", "localhost", "", "PrivateAddressError"],
  ["a request", "[::1]", "", "PrivateAddressError"],
  ["a request", "[::ffff:127.0.0.1]", "", "PrivateAddressError"],
  ["a request", "name.example", "", "PrivateAddressError"],
  ["requests", 0],
  ["a request", "name.example", "", 200],
  ["a request", "name.example", "redirect", "PrivateAddressError"],
  ["requests", 2],
  ["shut down"],
]

for (const { name, program, args, notTried } of runtimes) {
  describe(name, () => {
    beforeEach(({ skip }) => {
      if (notTried !== undefined) skip(notTried)
    })

    const env = () => ({ ...process.env, TMPDIR: path(), DENO_DIR: path("deno"), DENO_NO_UPDATE_CHECK: "1" })

    it("runs tools, holds rules and guards, and ends by itself", async () => {
      const { stdout } = await promisify(execFile)(program, [...args, script], { cwd: root, env: env() })
      const lines = stdout.trimEnd().split("\n")
      expect(lines.map((line) => JSON.parse(line))).toEqual(expected)
    })

    it("leaves nothing behind when it is killed", async () => {
      makeFifo(path("held"))
      const line = `cd ${path()}; exec 9> held; setsid --fork sleep 600; echo ready; sleep 600`
      const child = spawn(program, [...args, host, line], {
        cwd: root,
        env: env(),
        stdio: ["ignore", "pipe", "inherit"],
      })
      const allEnded = readFile(path("held"), "utf8")
      expect(String((await once(child.stdout, "data"))[0])).toBe("ready\n")
      child.kill("SIGKILL")
      expect(await allEnded).toBe("")
    })
  })
}
