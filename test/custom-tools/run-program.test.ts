// @module-tag waits
import { existsSync } from "node:fs"
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { makeExec } from "../../src/custom-tools/run-program.ts"
import { useTempFolder } from "../io/temp-folder.ts"

const file = useTempFolder()
const exec = makeExec(() => file())

describe("exec", () => {
  it("gives both streams and the code, with no shell between", async () => {
    const script = 'process.stdout.write(process.argv[1]); process.stderr.write("err"); process.exitCode = 3'
    expect(await exec(process.execPath, ["-e", script, "$HOME; *"])).toEqual({
      stdout: "$HOME; *",
      stderr: "err",
      code: 3,
      killed: false,
    })
  })

  it("gives numbers among the arguments as text", async () => {
    expect((await exec("echo", [5, "x"] as Array<string>)).stdout).toBe("5 x\n")
  })

  it("gives programs no secrets but those that are named", async () => {
    vi.stubEnv("SOME_TOKEN", "token")
    onTestFinished(() => void vi.unstubAllEnvs())
    const script = ["-c", 'echo "[$SOME_TOKEN] $HOME"']
    expect((await exec("bash", script)).stdout).toBe(`[] ${process.env.HOME}\n`)
    const named = makeExec(file(), { pass: ["*", "SOME_TOKEN"] })
    expect((await named("bash", script)).stdout).toBe(`[token] ${process.env.HOME}\n`)
  })

  it("has nothing on stdin", async () => {
    expect(await exec("cat", [])).toEqual({ stdout: "", stderr: "", code: 0, killed: false })
  })

  it("works in its folder, or in one that is named from there", async () => {
    await mkdir(file("inner"))
    expect((await exec("pwd", [])).stdout).toBe(`${file()}\n`)
    expect((await exec("pwd", [], { cwd: "inner" })).stdout).toBe(`${file("inner")}\n`)
    expect((await makeExec(file("inner"))("pwd", [])).stdout).toBe(`${file("inner")}\n`)
  })

  it("keeps characters whole that arrive in two parts", async () => {
    // Pipes are read in powers of two, which three bytes a character never fill.
    const { stdout } = await exec(process.execPath, ["-e", 'process.stdout.write("€".repeat(200000))'])
    expect(stdout).toBe("€".repeat(200_000))
  })

  it("holds a long output within a bound, both ends of it", async () => {
    const script = 'process.stdout.write("a" + "x".repeat(30e6) + "z")'
    const { stdout } = await exec(process.execPath, ["-e", script])
    expect(stdout.length).toBeLessThan(10_000_100)
    expect(stdout).toMatch(/^ax+\n\[\d+ bytes truncated\]\nx+z$/)
  })

  it("keeps an output whole that tools have to parse", async () => {
    const script = 'console.log(JSON.stringify(Array.from({ length: 200000 }, (_, n) => "file" + n)))'
    expect(JSON.parse((await exec(process.execPath, ["-e", script])).stdout)).toHaveLength(200_000)
  })

  it("tells which signal ended a program that nobody stopped", async () => {
    expect(await exec("bash", ["-c", "kill -SEGV $$"])).toMatchObject({ code: 139, killed: false })
  })
})

describe("exec, stopped", () => {
  /** Programs have as long to end themselves as this machine takes. */
  const stopTime = () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] })
    onTestFinished(() => void vi.useRealTimers())
  }

  const isGone = async (pid: number) => {
    const stat = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => undefined)
    return stat === undefined || stat.includes(") Z ")
  }

  /** Aborts a script of bash once it has made the file `$READY`. */
  const aborted = async (script: string) => {
    const controller = new AbortController()
    const ready = file("ready")
    const running = exec("bash", ["-c", `READY=${ready}; ${script}`], { signal: controller.signal })
    await expect.poll(() => existsSync(ready)).toBe(true)
    controller.abort()
    return running
  }

  it("says killed when the time is over", async () => {
    stopTime()
    const ready = file("ready")
    const running = exec("bash", ["-c", `echo x > ${ready}; exec sleep 600`], { timeout: 20 })
    await expect.poll(() => existsSync(ready)).toBe(true)
    vi.advanceTimersByTime(20)
    expect(await running).toEqual({ stdout: "", stderr: "", code: 143, killed: true })
  })

  it("ends the whole group on an abort, and keeps what was printed", async () => {
    stopTime()
    const child = "echo $$; echo x > $READY; exec sleep 600"
    const { stdout, killed, code } = await aborted(`export READY; echo $$; bash -c '${child}' & wait`)
    expect({ killed, code }).toEqual({ killed: true, code: 143 })
    const pids = stdout.trim().split("\n").map(Number)
    expect(pids).toHaveLength(2)
    expect(await Promise.all(pids.map(isGone))).toEqual([true, true])
  })

  it("kills a program that ignores the first signal", async () => {
    const result = await aborted("trap '' TERM; echo on; echo x > $READY; while true; do sleep 0.05; done")
    expect(result).toEqual({ stdout: "on\n", stderr: "", code: 137, killed: true })
  })

  it("says killed of a program that ends itself well when it is asked to", async () => {
    stopTime()
    const result = await aborted("trap 'exit 0' TERM; echo x > $READY; sleep 600 & wait")
    expect(result).toMatchObject({ code: 0, killed: true })
  })

  it("starts nothing after an abort", async () => {
    const result = await exec("bash", ["-c", `echo x > ${file("made")}`], { signal: AbortSignal.abort() })
    expect(result).toEqual({ stdout: "", stderr: "", code: 143, killed: true })
    await expect(readFile(file("made"))).rejects.toThrow("ENOENT")
  })

  it("is not killed by an abort that comes after its end", async () => {
    const controller = new AbortController()
    const result = await exec("true", [], { signal: controller.signal })
    controller.abort()
    expect(result).toEqual({ stdout: "", stderr: "", code: 0, killed: false })
  })

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e12])(
    "takes a time-out of %d for none",
    async (timeout) => {
      expect(await exec("true", [], { timeout })).toMatchObject({ code: 0, killed: false })
    },
  )
})

describe("exec of what cannot be started", () => {
  const any = exec as (...parts: Array<unknown>) => ReturnType<typeof exec>
  const failed = (code: number, stderr: string) => ({ stdout: "", stderr, code, killed: false })

  it("names a program that is not there", async () => {
    expect(await exec("no-such-program", ["x"])).toEqual(failed(127, "no-such-program: command not found"))
  })

  it("names a folder that is not there", async () => {
    expect(await exec("pwd", [], { cwd: "gone" })).toEqual(
      failed(127, `Working directory does not exist: ${file("gone")}`),
    )
  })

  it("names a file that may not be executed", async () => {
    await writeFile(file("script"), "#!/bin/sh\n")
    await chmod(file("script"), 0o600)
    const { code, stderr } = await exec(file("script"), [])
    expect(code).toBe(126)
    expect(stderr).toMatch(/^\/.*script: spawn .* EACCES$/)
  })

  it.each([
    ["an empty command", ["", []]],
    ["a command that is none", [undefined, []]],
    ["arguments that are no list", ["echo", 5]],
    ["an argument that no program can be given", ["echo", ["a\0b"]]],
  ])("says what is wrong with %s", async (_name, parts) => {
    const { code, stderr, killed } = await any(...parts)
    expect({ code, killed }).toEqual({ code: 127, killed: false })
    expect(stderr).toMatch(/argument/)
  })

  it("looks past options of the wrong kind", async () => {
    expect(await any("true", undefined, { signal: () => 1, timeout: "5", cwd: 7 })).toMatchObject({ code: 0 })
    expect(await any("true", [], null)).toMatchObject({ code: 0 })
  })
})
