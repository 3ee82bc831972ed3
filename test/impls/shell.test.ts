// @module-tag waits
import { existsSync } from "node:fs"
import { describe, expect, it } from "vitest"
import type { ShellDetails } from "../../src/handlers/shell.ts"
import { getBackgroundTaskTool, shellTool } from "../../src/impls/index.ts"
import { makeShellTool } from "../../src/impls/shell.ts"
import { localMachine } from "../../src/io/index.ts"
import { isRunning } from "../io/process-state.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { virtualTime } from "../support/virtual-time.ts"
import { drive } from "./drive.ts"
import { executorIn } from "./executor-in.ts"

const path = useTempFolder()

const start = (command: string, more = {}) => {
  const executor = executorIn(path(), [shellTool, getBackgroundTaskTool])
  executor.enqueue([{ callId: "call", name: "shell", params: { command, ...more } }])
  return executor
}

describe("shell", () => {
  it("has the same environment outside of the sandbox", async () => {
    const env = { pass: ["PATH"], set: { WORD: "word" } }
    const executor = executorIn(path(), [makeShellTool({ ...localMachine, env, outside: localMachine })])
    const params = { command: 'echo "$WORD [$HOME]"', unsandboxed: true }
    const { content } = await executor.run({ name: "shell", params }, (event) => {
      if (event._tag === "AwaitingApproval") event.approve()
    })
    expect(content).toBe("word []\n")
  })

  it("keeps what was printed when it is cancelled, and ends what it started", async () => {
    const executor = start("echo started $$; echo err >&2; sleep 60 & echo $!; wait")
    let printed = ""
    const events = await drive(executor, {
      onEvent: (event) => {
        if (event._tag !== "Delta") return
        printed += event.content
        if (/\n\d+\n/.test(printed) && printed.includes("err\n")) executor.cancelCall("call")
      },
    })
    expect(events.at(-1)).toMatchObject({ _tag: "Cancelled", content: `Cancelled\n${printed}` })
    for (const pid of printed.match(/\d+/g)!) expect(isRunning(Number(pid))).toBe(false)
  })

  it("tells its own time-out and what was printed before", async () => {
    const { executor, advance } = await virtualTime({ shell: shellTool }, { cwd: path() })
    executor.enqueue([{ name: "shell", params: { command: "echo printed; sleep 60", timeout: 0.2 } }])
    const events = await drive(executor, {
      onEvent: ({ _tag }) => {
        if (_tag === "Delta") void advance("200 millis")
      },
    })
    expect(events.at(-1)).toMatchObject({
      _tag: "Error",
      reason: "timeout",
      content: "Command timed out after 0.2 s\nprinted\n",
    })
  })

  it("keeps the file of a long output as long as its executor lives", async () => {
    const { executor, advance } = await virtualTime({ shell: shellTool }, { cwd: path() })
    const command = "head -c 100000 /dev/zero; touch printed; sleep 60"
    executor.enqueue([{ name: "shell", params: { command, timeout: 1 } }])
    const other = executorIn(path(), [shellTool])
    const params = { command: "head -c 100000 /dev/zero" }
    const { output } = await other.run({ name: "shell", params, decision: "approve" })
    const file = (output.details as ShellDetails).fullOutputPath!
    const driven = drive(executor)
    await expect.poll(() => existsSync(path("printed"))).toBe(true)
    await advance("1 second")
    const last = (await driven).at(-1) as { readonly content: string }
    const [timedOut] = /(?<=Full output: )[^\]]+/.exec(last.content)!
    expect([existsSync(timedOut), existsSync(file)]).toEqual([true, true])
    await executor.shutdown()
    expect([existsSync(timedOut), existsSync(file)]).toEqual([false, true])
    await other.shutdown()
    expect(existsSync(file)).toBe(false)
  })

  it("that fails is Completed, with the exit code at the end", async () => {
    const events = await drive(start("echo out; exit 3"))
    expect(events.at(-1)).toMatchObject({
      _tag: "Completed",
      content: "out\n[exit code: 3]",
      output: { details: { exitCode: 3 } },
    })
  })

  it("runs in the background, and gives its output by its task's id", async () => {
    const executor = start("echo done", { background: true })
    const events = await drive(executor)
    expect(events.map(({ _tag }) => _tag)).toEqual([
      "Started",
      "AwaitingApproval",
      "BackgroundStarted",
      "Delta",
      "BackgroundCompleted",
    ])
    const taken = await executor.run({ name: "get_background_task", params: { task_id: "call" } })
    expect(taken.content).toBe("Task call (shell) [Complete]:\ndone\n")
  })

  it("ends what runs when the executor is shut down", async () => {
    const executor = start("echo $$; sleep 60; true")
    let pid = 0
    await drive(executor, {
      onEvent: (event) => {
        if (event._tag !== "Delta") return
        pid = Number(event.content)
        void executor.shutdown()
      },
    })
    expect(isRunning(pid)).toBe(false)
  })
})
