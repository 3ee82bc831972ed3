// @module-tag waits
// @module-tag node
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest"
import { compileScript, root } from "../support/run-script.ts"
import { escapes } from "./escapes.ts"
import { makeFifo } from "./fifo.ts"
import { isRunning } from "./process-state.ts"
import { useTempFolder } from "./temp-folder.ts"

const path = useTempFolder()

let script: string
beforeAll(async () => {
  script = await compileScript("test/io/running-host.ts")
})

/**
 * Runs a command in a host of its own. What the command starts inherits the pipe `held`: it can be read to its end once
 * all of that has ended, whoever has ended it.
 */
const startHost = (command: string, mode = "stay") => {
  makeFifo(path("held"))
  const line = `cd ${path()}; exec 9> held\n${command}`
  const host = spawn(process.execPath, [script, line, mode], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  })
  return { host, allEnded: readFile(path("held"), "utf8") }
}

const firstLines = async (stream: NodeJS.ReadableStream, count: number): Promise<Array<string>> => {
  let text = ""
  for await (const chunk of stream) {
    text += chunk
    if (text.split("\n").length > count) break
  }
  return text.trimEnd().split("\n")
}

describe("a host that is killed", () => {
  it("leaves nothing behind, wherever it went", async () => {
    // Job control tells of jobs that have ended.
    const command = escapes.map(([, line]) => `${line}\nset +m`).join("\n")
    const { host, allEnded } = startHost(`${command}\nenv -i sleep 600 & sleep 600`)
    const pids = await firstLines(host.stdout, escapes.length)
    expect(pids).toHaveLength(escapes.length)
    host.kill("SIGKILL")
    expect(await allEnded).toBe("")
    // A process closes its files just before it has ended.
    await expect.poll(() => pids.filter((pid) => isRunning(Number(pid)))).toEqual([])
  })

  it("leaves neither its spawn helper nor what that started", async () => {
    const { host, allEnded } = startHost("echo $PPID; setsid --fork sleep 600; sleep 600", "helped")
    const [helper] = await firstLines(host.stdout, 1)
    expect(isRunning(Number(helper))).toBe(true)
    host.kill("SIGKILL")
    expect(await allEnded).toBe("")
    // It ends by itself when its connection does, which is now.
    while (isRunning(Number(helper)));
  })

  it("lets commands clean up", async () => {
    makeFifo(path("cleaned"))
    await mkdir(path("bin"))
    // The third of a second that commands have is over when this one has cleaned up, however long that takes here.
    const sleep = `#!/bin/sh
case $1 in 0.*) [ ! -p '${path("cleaned")}' ] || { cat '${path("cleaned")}'; rm '${path("cleaned")}'; } ;; esac
PATH='${process.env.PATH}' exec sleep "$@"
`
    await writeFile(path("bin/sleep"), sleep, { mode: 0o755 })
    vi.stubEnv("PATH", `${path("bin")}:${process.env.PATH}`)
    onTestFinished(() => void vi.unstubAllEnvs())
    const { host, allEnded } = startHost(
      "trap 'echo cleaned >&9; echo > cleaned; exit' TERM; echo ready; sleep 600 & wait",
    )
    await firstLines(host.stdout, 1)
    host.kill("SIGKILL")
    expect(await allEnded).toBe("cleaned\n")
  })

  it("leaves nothing of a host that ran in one of its commands", async () => {
    const inner = `${process.execPath} ${script} "setsid --fork bash -c 'echo ready; exec sleep 600'; sleep 600"`
    const { host, allEnded } = startHost(`cd ${root}; ${inner}`)
    await firstLines(host.stdout, 1)
    host.kill("SIGKILL")
    expect(await allEnded).toBe("")
  })
})

describe("a host that ends by itself", () => {
  it("ends what completed commands have left in the background", async () => {
    makeFifo(path("go"))
    const daemons = "setsid sleep 600 > /dev/null 2>&1 & env -i setsid --fork sleep 600"
    const { host, allEnded } = startHost(`${daemons}; echo started; read < go`, "end")
    await once(host.stdout, "data")
    await writeFile(path("go"), "\n")
    host.stdout.resume()
    expect(await once(host, "exit")).toEqual([0, null])
    expect(await allEnded).toBe("")
  })
})
