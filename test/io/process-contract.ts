/** What every way of running processes on this machine owes. */
import { readFile, writeFile } from "node:fs/promises"
import { setTimeout as delay, setImmediate as turn } from "node:timers/promises"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import type { OutputStream, Processes, ProcessOptions } from "../../src/io/index.ts"
import { escapes } from "./escapes.ts"
import { makeFifo } from "./fifo.ts"
import { isRunning } from "./process-state.ts"
import { useTempFolder } from "./temp-folder.ts"

setFlagsFromString("--expose-gc")
const collectGarbage = runInNewContext("gc") as () => void

export const testProcesses = (localProcesses: Processes): void => {
  const path = useTempFolder()

  const bash = async (command: string, options: Partial<ProcessOptions> = {}) => {
    const texts: Record<OutputStream, string> = { stdout: "", stderr: "" }
    const exit = await localProcesses.run({
      command: "bash",
      args: ["-c", command],
      cwd: path(),
      onOutput: (stream, bytes) => {
        texts[stream] += Buffer.from(bytes).toString()
      },
      ...options,
    })
    return { ...texts, exit }
  }

  /** Stops the clocks by which a run gives up waiting: it waits as long as this machine takes, unless the test lets time pass. */
  const stopTime = () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] })
    onTestFinished(() => void vi.useRealTimers())
  }

  /** Resolves once the process whose id a file holds has ended. */
  const untilEnded = async (file: string) => {
    await expect.poll(() => readFile(file, "utf8").catch(() => "")).toMatch(/\n$/)
    await expect.poll(async () => isRunning(Number(await readFile(file, "utf8")))).toBe(false)
  }

  /** Lets time pass until a promise has settled. */
  const passingTime = async <A>(promise: Promise<A>): Promise<A> => {
    let isSettled = false
    const settle = () => {
      isSettled = true
    }
    promise.then(settle, settle)
    while (!isSettled) {
      vi.advanceTimersByTime(100)
      await turn()
    }
    return promise
  }

  /** Runs a command and aborts it once it has printed a line; gives what it printed and the exit. */
  const abortAfterFirstLine = async (command: string) => {
    const controller = new AbortController()
    let printed = ""
    const exit = await localProcesses.run({
      command: "bash",
      args: ["-c", command],
      cwd: path(),
      signal: controller.signal,
      onOutput: (_, bytes) => {
        printed += Buffer.from(bytes).toString()
        if (printed.includes("\n")) controller.abort()
      },
    })
    return { printed, exit }
  }

  describe("a run", () => {
    it("gives both streams and the exit code", async () => {
      expect(await bash("echo out; echo err >&2; exit 3")).toEqual({
        stdout: "out\n",
        stderr: "err\n",
        exit: { code: 3, signal: null },
      })
    })

    it("tells the signal that ended the command", async () => {
      expect((await bash("kill -9 $$")).exit).toEqual({ code: null, signal: "SIGKILL" })
    })

    it("has nothing on stdin", async () => {
      expect((await bash("cat; echo end")).stdout).toBe("end\n")
    })

    it("reads a megabyte on stderr while stdout is idle", async () => {
      expect((await bash("head -c 1000000 /dev/zero >&2")).stderr).toHaveLength(1_000_000)
    })

    it("runs in the folder and the environment that it is given", async () => {
      const { stdout } = await bash("echo $PWD $WORD", { env: { ...process.env, WORD: "word" } })
      expect(stdout).toBe(`${path()} word\n`)
    })

    it("leads a process group of its own", async () => {
      expect((await bash("kill -0 -- -$$ && echo leads")).stdout).toBe("leads\n")
    })

    it("takes output that a process substitution prints just after the exit", async () => {
      stopTime()
      const afterExit = "cat; while kill -0 $$ 2> /dev/null; do :; done; echo end"
      expect((await bash(`echo text > >(${afterExit})`)).stdout).toBe("text\nend\n")
    })

    it("has no secrets of this process but those that are named", async () => {
      vi.stubEnv("SOME_TOKEN", "token")
      vi.stubEnv("OTHER_TOKEN", "other")
      onTestFinished(() => void vi.unstubAllEnvs())
      const command = 'echo "$HOME [$SOME_TOKEN] [$OTHER_TOKEN]"'
      expect((await bash(command)).stdout).toBe(`${process.env.HOME} [] []\n`)
      const envRules = { pass: ["SOME_TOKEN"], set: { HOME: "elsewhere" } }
      expect((await bash(command, { envRules })).stdout).toBe("elsewhere [token] []\n")
    })

    it.each([
      ["a missing program", { command: "no-such-program" }, "ENOENT"],
      ["a missing folder", { cwd: "/no/such/folder" }, "ENOENT"],
      ["an argument with NUL", { args: ["-c", "a\0b"] }, "ERR_INVALID_ARG_VALUE"],
    ])("rejects for %s", async (_, options, code) => {
      await expect(bash("true", options)).rejects.toMatchObject({ code })
    })
  })

  describe("a background child", () => {
    it("that holds the pipes does not delay the end, and goes on", async () => {
      const { stdout } = await bash("sleep 60 & echo $!")
      const pid = Number(stdout)
      expect(isRunning(pid)).toBe(true)
      process.kill(pid)
    })

    it("may go on printing after the end without dying of it", async () => {
      makeFifo(path("go"))
      makeFifo(path("answer"))
      await bash("(read < go; for i in 1 2 3; do echo printed; done; echo alive > answer) & echo started")
      await writeFile(path("go"), "\n")
      expect(await readFile(path("answer"), "utf8")).toBe("alive\n")
    })

    it("that prints without end does not keep the run from ending", async () => {
      const { stdout } = await bash("echo $$; yes & disown; exit 0")
      process.kill(-Number.parseInt(stdout, 10), "SIGKILL")
    })
  })

  describe("an abort", () => {
    it("ends the children too", async () => {
      stopTime()
      const { printed, exit } = await abortAfterFirstLine("sleep 60 & echo $!; wait")
      expect(exit).toEqual({ code: null, signal: "SIGTERM" })
      expect(isRunning(Number(printed))).toBe(false)
    })

    it("lets the command clean up and takes what it prints then", async () => {
      stopTime()
      const { printed, exit } = await abortAfterFirstLine(
        "trap 'echo cleaned; exit 7' TERM; echo ready; sleep 60 & wait",
      )
      expect(printed).toBe("ready\ncleaned\n")
      expect(exit.code).toBe(7)
    })

    const stubborn = 'trap "echo > refused" TERM; echo $$; while :; do sleep 1; done'

    it.each([
      ["a command that refuses SIGTERM", stubborn, "SIGKILL"],
      [
        "a child that refuses SIGTERM when the command itself has ended",
        `bash -c '${stubborn}' > >(cat) & wait`,
        "SIGTERM",
      ],
    ])("kills %s, half a second later", async (_, command, signal) => {
      stopTime()
      makeFifo(path("refused"))
      const run = abortAfterFirstLine(command)
      await readFile(path("refused"))
      vi.advanceTimersByTime(500)
      const { printed, exit } = await run
      expect(exit.signal).toBe(signal)
      expect(isRunning(Number(printed))).toBe(false)
    })

    it.each(escapes)("ends what has left the group by %s", async (_, command) => {
      stopTime()
      const run = abortAfterFirstLine(`echo $$ > leader\n${command}\nsleep 600`)
      await untilEnded(path("leader"))
      // What refuses SIGTERM has had its time now.
      vi.advanceTimersByTime(500)
      const { printed, exit } = await run
      expect(isRunning(Number(printed))).toBe(false)
      expect(exit).toEqual({ code: null, signal: "SIGTERM" })
    })

    it("leaves what other runs have started alone", async () => {
      const { stdout } = await bash("setsid sleep 600 > /dev/null & echo $!")
      const other = Number(stdout)
      await abortAfterFirstLine("echo ready; sleep 600")
      expect(isRunning(other)).toBe(true)
      process.kill(other)
    })

    it("ends a run whose consumer never takes what it is given", async () => {
      stopTime()
      const controller = new AbortController()
      const run = bash("echo $$ > leader; echo text; sleep 60", {
        signal: controller.signal,
        onOutput: () => {
          controller.abort()
          return new Promise(() => {})
        },
      })
      await untilEnded(path("leader"))
      const { exit } = await passingTime(run)
      expect(exit.signal).toBe("SIGTERM")
    })

    it("before the start starts nothing", async () => {
      await expect(bash("touch made", { signal: AbortSignal.abort() })).rejects.toThrow("aborted")
      await expect(readFile(path("made"))).rejects.toMatchObject({ code: "ENOENT" })
    })
  })

  describe("a consumer", () => {
    it("gets one chunk of a stream at a time, all in order", async () => {
      let taking = 0
      let most = 0
      let text = ""
      await bash("seq 1 100000", {
        onOutput: async (_, bytes) => {
          const chunk = Buffer.from(bytes).toString()
          most = Math.max(most, ++taking)
          await turn()
          text += chunk
          taking--
        },
      })
      expect(most).toBe(1)
      const lines = text.trimEnd().split("\n")
      expect(lines).toHaveLength(100_000)
      expect(lines.every((line, index) => line === String(index + 1))).toBe(true)
    })

    it("that is slow makes the command wait, not the memory grow", async () => {
      const limit = 64 * 1024 * 1024
      const held = () => process.memoryUsage().arrayBuffers - before
      const before = process.memoryUsage().arrayBuffers
      let most = 0
      let total = 0
      await bash("head -c 100000000 /dev/zero", {
        onOutput: async (_, bytes) => {
          total += bytes.length
          await turn()
          // When garbage is collected is the engine's affair, but for what is left of it.
          if (held() > limit / 2) collectGarbage()
          most = Math.max(most, held())
        },
      })
      expect(total).toBe(100_000_000)
      expect(most).toBeLessThan(limit)
    })

    it("that is still busy after the exit gets all that was printed", async () => {
      let total = 0
      let first = true
      let pid = 0
      await bash("sleep 60 & echo $! >&2; head -c 150000 /dev/zero", {
        onOutput: async (stream, bytes) => {
          if (stream === "stderr") {
            pid = Number(Buffer.from(bytes).toString())
            return
          }
          // Longer than the pipes are waited for.
          if (first) await delay(200)
          first = false
          await turn()
          total += bytes.length
        },
      })
      process.kill(pid)
      expect(total).toBe(150_000)
    })

    it("that fails ends the command, and the run with its failure", async () => {
      let pid = 0
      const run = bash("echo $$; sleep 60", {
        onOutput: (_, bytes) => {
          pid = Number(Buffer.from(bytes).toString())
          throw new Error("no more")
        },
      })
      await expect(run).rejects.toThrow("no more")
      expect(isRunning(pid)).toBe(false)
    })
  })
}
