// @module-tag waits
// @module-tag node
import { execFile, type StdioOptions, spawn } from "node:child_process"
import { once } from "node:events"
import { open, readFile } from "node:fs/promises"
import { setImmediate as nextTurn } from "node:timers/promises"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"
import { type CurrentCall, currentCall } from "../../../src/custom-tools/current-call.ts"
import {
  foreignOwner,
  isolatedCall,
  runIsolated,
  runOutside,
} from "../../../src/custom-tools/loading/isolation.ts"
import { useTempFolder } from "../../io/temp-folder.ts"
import { compileScript, root, runScript } from "../../support/run-script.ts"

const path = useTempFolder()

const sample = (name: string) => `test/custom-tools/loading/samples/${name}.ts`

describe("foreign code", () => {
  it("is known by its owner, and the host's code that it calls is not", async () => {
    const owners = () => [foreignOwner(), runOutside(foreignOwner), foreignOwner()]
    expect(runIsolated("/tool.ts", owners)).toEqual(["/tool.ts", undefined, "/tool.ts"])
    expect(await runIsolated("/tool.ts", () => nextTurn().then(foreignOwner))).toBe("/tool.ts")
    expect(foreignOwner()).toBeUndefined()
  })
})

describe("a call for foreign code", () => {
  const agent = {} as CurrentCall["agent"]
  const isolate = (signal: AbortSignal) => isolatedCall("/tool.ts", { callId: "c", agent, signal })
  const seen = () => [foreignOwner(), currentCall.getStore()?.callId]

  it("is known to the code that runs for it, also to listeners of its signal, which aborts for the host's reason", () => {
    const host = new AbortController()
    const { call, isolated } = isolate(host.signal)
    expect(isolated(seen)).toEqual(["/tool.ts", "c"])
    const heard: Array<unknown> = []
    call.signal.addEventListener("abort", () => heard.push(...seen(), call.signal.reason))
    host.abort("enough")
    expect(heard).toEqual(["/tool.ts", "c", "enough"])
    expect(seen()).toEqual([undefined, undefined])
  })

  it("is aborted from the start where the host's signal is", () => {
    expect(isolate(AbortSignal.abort("before")).call.signal).toMatchObject({
      aborted: true,
      reason: "before",
    })
  })
})

describe("the process", () => {
  it("survives what foreign code leaves to nobody, and ends as the host wishes", async () => {
    const exit = "/tool.ts called process.exit, which would end the program that runs it"
    const failures = [
      "a rejection",
      "a throw in a timer",
      "a throw in a microtask",
      exit,
      "spawn /there/is/no/such/program ENOENT",
      exit,
      exit,
    ]
    await expect(runScript(sample("stray"))).rejects.toMatchObject({
      code: 4,
      stdout: failures.map((failure) => `/tool.ts left a failure to nobody: ${failure}\n`).join(""),
      stderr: "",
    })
  })

  it("keeps its standard output for the host, whatever way foreign code prints", async () => {
    // Files: what Node gives a child for pipes cannot be opened by a path.
    const outputs = [path("stdout"), path("stderr")] as const
    const handles = await Promise.all(outputs.map((file) => open(file, "a")))
    const script = await compileScript(sample("prints"))
    const stdio = ["ignore", ...handles.map(({ fd }) => fd)] as StdioOptions
    const child = spawn(process.execPath, [script], { cwd: root, stdio })
    expect(await once(child, "close")).toEqual([0, null])
    for (const handle of handles) await handle.close()
    const [stdout, stderr] = await Promise.all(outputs.map((file) => readFile(file, "utf8")))
    expect(stdout).toBe("host 1\nhost 2\nhost 3\n")
    expect(stderr!.trim().split("\n").sort()).toEqual([
      "by a child",
      "by a file handle",
      "by a path",
      "by a stream",
      "by a stream's end",
      "by a synchronous child",
      "by an own stream",
      "by fs",
      "by the console",
    ])
  })

  it.each(["own-rejection", "own-throw"])("ends by the host's own failures as ever: %s", async (name) => {
    await expect(runScript(sample(name))).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Error: the host's"),
    })
  })

  it("goes on after the host's own failures where Node was told so", async () => {
    const script = await compileScript(sample("own-rejection"))
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      ["--unhandled-rejections=warn", script, "and goes on"],
      { cwd: root },
    )
    expect(stdout).toBe("the host goes on\n")
    expect(stderr).toContain("Error: the host's promise")
  })
})
