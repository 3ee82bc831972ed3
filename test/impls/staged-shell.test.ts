// @module-tag waits
import { existsSync } from "node:fs"
import { readdir, readFile, rm, writeFile } from "node:fs/promises"
import { setImmediate } from "node:timers/promises"
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest"
import { makeShellTool, shellTool } from "../../src/impls/index.ts"
import { ToolFilters, type ToolResult } from "../../src/index.ts"
import {
  type SandboxedMachine,
  sandboxedMachine,
  sandboxFilters,
  stagingMachine,
} from "../../src/sandbox/index.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { needs } from "../support/needs.ts"
import { virtualTime } from "../support/virtual-time.ts"
import { drive } from "./drive.ts"
import { executorIn } from "./executor-in.ts"

const path = useTempFolder()
const stages = () => readdir(path("state/stepline/staged")).catch(() => [])

beforeEach(async (test) => {
  needs(test, "bwrap")
  vi.stubEnv("XDG_STATE_HOME", path("state"))
  onTestFinished(() => {
    vi.unstubAllEnvs()
  })
  await writeFile(path("a.txt"), "one\ntwo\n")
})

const staging = (options = {}) => executorIn(path(), [makeShellTool(stagingMachine())], options)

const run = (executor: ReturnType<typeof staging>, command: string, more = {}): Promise<ToolResult> =>
  executor.run(
    { name: "shell", params: { command, stage: true, ...more } },
    (event) => event._tag === "AwaitingApproval" && event.approve(),
  )

const resolve = (executor: ReturnType<typeof staging>, action: "apply" | "discard") =>
  executor.agent().resolve({ action, reason: "test" })

describe("shell with stage", () => {
  it("shows what it printed, what would change, and a diff, and changes nothing yet", async () => {
    const executor = staging()
    const { content, status } = await run(
      executor,
      "echo three >> a.txt; echo hello; echo x > b; mkdir c; exit 2",
    )
    expect(status).toBe("complete")
    expect(content).toContain(`hello
[exit code: 2]
[staged] 3 changes in ${path()}, not made yet:
changed  a.txt
created  b
created  c/
Not staged: what the command did over the network. Processes that it left have been ended.
--- a.txt
+++ a.txt
@@ -1,2 +1,3 @@
 one
 two
+three
--- b
+++ b
@@ -0,0 +1,1 @@
+x
Nothing is changed yet. Pending: Make the changes of echo three >> a.txt`)
    expect(await readFile(path("a.txt"), "utf8")).toBe("one\ntwo\n")
    expect(await readdir(path())).toEqual(["a.txt", "state"])
    expect(executor.agent().pendingActions.list()).toMatchObject([
      {
        label: "Make the changes of echo three >> a.txt; echo hello; echo x > b; mkdir c; exit 2",
        sourceToolName: "shell",
      },
    ])
  })

  it("is labelled with the command as it is, and says where that is cut", async () => {
    const executor = staging()
    const labels = () =>
      executor
        .agent()
        .pendingActions.list()
        .map(({ label }) => label)
    await run(executor, "echo a  >  b #\u001b\n\ttrue")
    const long = `true\n#${"💥".repeat(90)}; rm -rf b`
    await run(executor, `echo x > y; ${long}`)
    expect(labels()).toEqual([
      "Make the changes of echo a  >  b #\u001b\n\ttrue",
      `Make the changes of echo x > y; true\n#${"💥".repeat(42)}… (the first 60 of 118 characters)`,
    ])
  })

  it("applies it without running it again", async () => {
    const executor = staging()
    await run(executor, "date +%s%N > stamp; echo $$ >> a.txt")
    const printed = await resolve(executor, "apply")
    expect(printed).toMatchObject({ status: "complete", content: `2 changes made in ${path()}.` })
    expect(await readFile(path("a.txt"), "utf8")).toMatch(/^one\ntwo\n\d+\n$/)
    expect(executor.agent().pendingActions.hasPending).toBe(false)
    expect(await stages()).toEqual([])
  })

  it("leaves nothing when it is discarded, dropped, or the executor ends", async () => {
    const executor = staging()
    await run(executor, "echo x > x")
    await resolve(executor, "discard")
    expect(await stages()).toEqual([])
    await run(executor, "echo x > x")
    await executor.shutdown()
    expect(await stages()).toEqual([])
    expect(existsSync(path("x"))).toBe(false)
  })

  it("makes no folder to look for what is gone", async () => {
    const executor = staging()
    await run(executor, "echo x > x")
    await rm(path("state"), { recursive: true })
    await executor.shutdown()
    expect(existsSync(path("state"))).toBe(false)
  })

  it("refuses to apply over what changed since, and stays pending", async () => {
    const executor = staging()
    await run(executor, "echo three >> a.txt; echo x > b")
    await writeFile(path("a.txt"), "mine")
    const { status, content } = await resolve(executor, "apply")
    expect(status).toBe("error")
    expect(content).toContain(
      "Nothing was applied: a.txt changed since the command saw it. Discard this preview and run the command again.",
    )
    expect(await readdir(path())).toEqual(["a.txt", "state"])
    expect(executor.agent().pendingActions.hasPending).toBe(true)
  })

  it("waits for changes that are being made when the call is cancelled", async () => {
    const machine = stagingMachine()
    const staged = machine.staging!
    const executor = executorIn(path(), [makeShellTool(machine)])
    await run(executor, "echo three >> a.txt")
    const order: Array<string> = []
    const apply = staged.apply.bind(staged)
    vi.spyOn(staged, "apply").mockImplementation(async (...given) => {
      executor.cancel()
      // Time in which a call that does not wait would end.
      await setImmediate()
      const count = await apply(...given)
      order.push("changed")
      return count
    })
    const { status } = await resolve(executor, "apply")
    order.push(status)
    expect(order).toEqual(["changed", "cancelled"])
    expect(await readFile(path("a.txt"), "utf8")).toBe("one\ntwo\nthree\n")
  })

  it("stages what an edit at the gate made of the command", async () => {
    const executor = staging()
    await executor.run({ name: "shell", params: { command: "echo wrong > x", stage: true } }, (event) => {
      if (event._tag === "AwaitingApproval")
        event.approve({ params: { command: "echo right > y", stage: true } })
    })
    await resolve(executor, "apply")
    expect(await readdir(path())).toEqual(["a.txt", "state", "y"])
  })

  it("works in the background", async () => {
    const executor = staging()
    executor.enqueue([
      { callId: "task", name: "shell", params: { command: "echo x > x", stage: true }, background: true },
    ])
    const events = await drive(executor)
    expect(events.at(-1)).toMatchObject({ _tag: "BackgroundCompleted", status: "complete" })
    expect((await resolve(executor, "apply")).content).toBe(`1 change made in ${path()}.`)
    expect(existsSync(path("x"))).toBe(true)
  })

  it("leaves no stage behind a time-out, and shows what was printed", async () => {
    const { executor, advance } = await virtualTime(
      { shell: makeShellTool(stagingMachine()) },
      { cwd: path() },
    )
    const params = { command: "echo printed; echo x > x; sleep 600", stage: true, timeout: 2 }
    const { status, content } = await executor.run({ name: "shell", params }, (event) => {
      if (event._tag === "AwaitingApproval") event.approve()
      if (event._tag === "Delta") void advance("2 seconds")
    })
    expect({ status, content }).toEqual({
      status: "error",
      content: "Command timed out after 2 s\nprinted\n",
    })
    expect(await stages()).toEqual([])
    expect(existsSync(path("x"))).toBe(false)
  })

  it("says what it would not change, and what is too large or no text", async () => {
    const executor = staging()
    expect((await run(executor, "true")).content).toContain(
      `(no output)\n[staged] The command would change nothing in ${path()}.`,
    )
    await resolve(executor, "discard")
    const { content } = await run(
      executor,
      "head -c 300000 /dev/zero | tr '\\0' x > large; printf 'a\\0b' > binary; seq 9000 > long; chmod 700 a.txt",
    )
    expect(content).toContain("large: too large to be shown")
    expect(content).toContain("binary: binary, 3 bytes")
    expect(content).toContain("changed  a.txt (mode 644 → 700)")
    expect(content).toContain("[truncated: the diff shows 4 of 4 files, the last in part]")
    expect(content.length).toBeLessThan(25_000)
  })

  it("is refused, with nothing run, by a machine that cannot", async () => {
    const executor = executorIn(path(), [shellTool])
    expect(shellTool.parameters).not.toHaveProperty("properties.stage")
    const { status, content } = await run(executor, "touch ran")
    expect({ status, content }).toEqual({
      status: "error",
      content:
        "Commands cannot be staged here, and this one did not run. Call it without `stage`: it is then asked about as usual.",
    })
    expect(existsSync(path("ran"))).toBe(false)
  })

  it("may be the default of a tool", async () => {
    const executor = executorIn(path(), [makeShellTool(stagingMachine(), { stage: true })])
    const call = (params: object) =>
      executor.run({ name: "shell", params }, (event) => event._tag === "AwaitingApproval" && event.approve())
    await call({ command: "touch x" })
    await call({ command: "touch y", stage: false })
    expect(await readdir(path())).toEqual(["a.txt", "state", "y"])
  })
})

describe("shell in a sandbox", () => {
  let machine: SandboxedMachine
  const sandboxed = async (rules = {}, filters = {}) => {
    machine = await sandboxedMachine({ cwd: path() })
    onTestFinished(() => machine.close())
    return executorIn(path(), [makeShellTool(machine)], {
      filters: sandboxFilters(ToolFilters.compile(filters), rules),
    })
  }
  const gates = async (executor: Awaited<ReturnType<typeof sandboxed>>, params: object) => {
    let asked = 0
    const result = await executor.run({ name: "shell", params }, (event) => {
      if (event._tag !== "AwaitingApproval") return
      asked++
      event.approve({ remember: true })
    })
    return { asked, ...result }
  }
  const outside = () => `echo out > ${path()}-outside; rm ${path()}-outside && echo removed`

  it("goes unasked where a rule says so, and leaves it only by a person's word", async () => {
    const executor = await sandboxed(
      { shell: { sandboxed: "approve" } },
      { shell: { allow: ["^(echo|rm)\\b"] } },
    )
    const inside = await gates(executor, { command: outside() })
    expect(inside.asked).toBe(0)
    expect(inside.content).toContain("Read-only file system")
    expect(inside.content).toContain(`[sandbox] Blocked: openat ${path()}-outside`)
    for (let time = 0; time < 2; time++) {
      const left = await gates(executor, { command: outside(), unsandboxed: true })
      expect({ asked: left.asked, content: left.content }).toEqual({ asked: 1, content: "removed\n" })
    }
  })

  it("is still denied what a rule denies, in and out of it", async () => {
    const executor = await sandboxed({ shell: { sandboxed: "approve" } }, { shell: { deny: ["secret"] } })
    for (const more of [{}, { unsandboxed: true }]) {
      expect(await gates(executor, { command: "echo secret", ...more })).toMatchObject({
        asked: 0,
        status: "denied",
      })
    }
  })

  it("can be staged, and then neither writes outside nor arms a repository", async (test) => {
    needs(test, "git", "curl")
    const executor = await sandboxed({ shell: { sandboxed: "approve" } })
    const command = `echo three >> a.txt; echo x > ${path()}-outside; mkdir -p .vscode; echo evil > .vscode/tasks.json; git init -q g && echo evil > g/.git/hooks/pre-commit && git -C g config core.fsmonitor evil; curl -sm2 http://1.1.1.1`
    const { content, asked } = await gates(executor, { command, stage: true })
    expect(asked).toBe(0)
    expect(content).toContain("changed  a.txt\n")
    expect(content).not.toMatch(/created {2}\.(vscode|bashrc|git)/)
    expect((await resolve(executor, "apply")).status).toBe("complete")
    expect(await readFile(path("a.txt"), "utf8")).toBe("one\ntwo\nthree\n")
    expect((await readdir(path())).sort()).toEqual(["a.txt", "g", "state"])
    expect(existsSync(path("g/.git/hooks/pre-commit"))).toBe(false)
    expect(await readFile(path("g/.git/config"), "utf8")).not.toContain("evil")
    expect(existsSync(`${path()}-outside`)).toBe(false)
  })
})
