// @module-tag waits
import { existsSync } from "node:fs"
import { readFile, rm, writeFile } from "node:fs/promises"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { type AgentToolUpdate, createBashTool, fromPiTool } from "../../../../src/custom-tools/index.ts"
import type { BashToolDetails } from "../../../../src/custom-tools/stand-ins/tool-factories/bash.ts"
import { ToolExecutor, ToolRegistry } from "../../../../src/index.ts"
import { useTempFolder } from "../../../io/temp-folder.ts"
import { failureOf, run, textFrom } from "./run-tool.ts"

const path = useTempFolder()
const make = () => createBashTool(path())

const removeOutput = async (details: unknown): Promise<string> => {
  const file = (details as BashToolDetails).fullOutputPath!
  const text = await readFile(file, "utf8")
  await rm(file)
  return text
}

describe("a command", () => {
  it("keeps all of its output as long as the executor that runs it lives", async () => {
    const executor = new ToolExecutor(new ToolRegistry([fromPiTool(make())]))
    const call = { name: "bash", params: { command: "seq 3000" }, decision: "approve" } as const
    const { output } = await executor.run(call)
    const file = (output.details as BashToolDetails).fullOutputPath!
    expect(await readFile(file, "utf8")).toMatch(/\n3000\n$/)
    await executor.shutdown()
    expect(existsSync(file)).toBe(false)
  })

  it("gives stdout and stderr as they came", async () => {
    const { content, details } = await run(make(), { command: "echo one; echo two >&2; pwd" })
    expect(content).toEqual([{ type: "text", text: `one\ntwo\n${path("").replace(/\/$/, "")}\n` }])
    expect(details).toBeUndefined()
    expect(await textFrom(make(), { command: "true" })).toBe("(no output)")
  })

  it("fails with its output where it exits with another code than 0", async () => {
    expect(await failureOf(make(), { command: "echo out; exit 3" })).toBe(
      "out\n\n\nCommand exited with code 3",
    )
    expect(await failureOf(make(), { command: "kill -9 $$" })).toBe(
      "(no output)\n\nCommand exited with code 137",
    )
  })

  it("that bash cannot read fails with what bash says of it, and nothing else", async () => {
    expect(await failureOf(make(), { command: "syntax (" })).toBe(
      "bash: -c: line 1: syntax error near unexpected token `newline'\nbash: -c: line 1: `syntax ('\n\n\nCommand exited with code 2",
    )
  })

  it("finds the shell as `bash -c` starts it", async () => {
    const startup = path("startup")
    await writeFile(startup, "echo startup")
    const bash = createBashTool(path(), {
      spawnHook: (context) => ({ ...context, env: { ...context.env, BASH_ENV: startup, SHLVL: "4" } }),
    })
    expect(await textFrom(bash, { command: 'echo "$0 $# $SHLVL $(shopt -o posix)"' })).toMatch(
      /^startup\nbash 0 5 posix\s+off\n$/,
    )
  })

  it("is ended when its time is over", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    onTestFinished(() => void vi.useRealTimers())
    const onUpdate = ({ content }: AgentToolUpdate) => {
      if (content?.length) vi.advanceTimersByTime(3000)
    }
    await expect(run(make(), { command: "echo begun; sleep 600", timeout: 3 }, { onUpdate })).rejects.toThrow(
      /^begun\n\n\nCommand timed out after 3 seconds$/,
    )
  })

  it("may have a part of a second more", async () => {
    // In milliseconds it is no whole number.
    expect(await textFrom(make(), { command: "echo done", timeout: 1001.0005 })).toBe("done\n")
  })

  it("is ended by an abort, with its output", async () => {
    const controller = new AbortController()
    const failure = run(
      make(),
      { command: "echo begun; sleep 600" },
      {
        signal: controller.signal,
        onUpdate: ({ content }) => content?.length && controller.abort(),
      },
    )
    await expect(failure).rejects.toThrow("begun\n\n\nCommand aborted")
    expect(await failureOf(make(), { command: "echo never" }, AbortSignal.abort())).toBe("Command aborted")
  })

  it("needs a folder to run in", async () => {
    expect(await failureOf(createBashTool(path("none")), { command: "true" })).toBe(
      `Working directory does not exist: ${path("none")}\nCannot execute bash commands.`,
    )
  })
})

describe("long output", () => {
  it("is cut to the last 2000 lines, with everything in a file", async () => {
    const { content, details } = await run(make(), { command: "seq 2500" })
    const [block] = content as unknown as [{ text: string }]
    const { fullOutputPath } = details as BashToolDetails
    expect(block.text.split("\n")[0]).toBe("502")
    expect(block.text).toMatch(/\n2500\n\n\n\[Showing lines 502-2501 of 2501\. Full output: /)
    expect(block.text).toContain(fullOutputPath)
    expect(details).toMatchObject({
      truncation: { truncatedBy: "lines", totalLines: 2501, outputLines: 2000 },
    })
    expect(await removeOutput(details)).toMatch(/^1\n2\n[\s\S]*\n2500\n$/)
  })

  it("is cut to its last 50 KB, in bounded memory", async () => {
    const { content, details } = await run(make(), {
      command: "yes $(printf 'x%.0s' {1..99}) | head -c 2000000",
    })
    const [block] = content as unknown as [{ text: string }]
    expect(block.text).toMatch(/\(50\.0KB limit\)\. Full output: /)
    expect(Buffer.byteLength(block.text)).toBeLessThan(51_200 + 200)
    expect(details).toMatchObject({ truncation: { totalBytes: 2_000_000, truncatedBy: "bytes" } })
    expect(await removeOutput(details)).toHaveLength(2_000_000)
  })

  it("shows the end of a line that is too long", async () => {
    const { content, details } = await run(make(), { command: "head -c 60000 /dev/zero | tr '\\0' x" })
    const [block] = content as unknown as [{ text: string }]
    expect(block.text).toMatch(
      /^x{51200}\n\n\[Showing last 50\.0KB of line 1 \(line is 58\.6KB\)\. Full output: /,
    )
    await removeOutput(details)
  })
})

it("streams the output so far, and all of it at the end", async () => {
  const updates: Array<AgentToolUpdate> = []
  await run(
    make(),
    { command: "for i in 1 2 3; do echo $i; done" },
    { onUpdate: (update) => updates.push(update) },
  )
  expect(updates.length).toBeGreaterThan(0)
  expect(updates.at(-1)!.content).toEqual([{ type: "text", text: "1\n2\n3\n" }])
})

it("goes on when whoever watches fails", async () => {
  const onUpdate = () => {
    throw new Error("no screen")
  }
  const { content } = await run(make(), { command: "echo done" }, { onUpdate })
  expect(content).toEqual([{ type: "text", text: "done\n" }])
})

describe("options", () => {
  it("run a line first, and change what is spawned", async () => {
    const tool = createBashTool(path(), {
      commandPrefix: "greeting=hello",
      spawnHook: ({ command, cwd, env }) => ({
        command: `${command} $WHO`,
        cwd,
        env: { ...env, WHO: "you" },
      }),
    })
    expect(await textFrom(tool, { command: "echo $greeting" })).toBe("hello you\n")
  })

  it("send commands elsewhere", async () => {
    const tool = createBashTool("/far", {
      operations: {
        exec: async (command, cwd, { onData, timeout }) => {
          onData(Buffer.from(`${command} in ${cwd} for ${timeout}`))
          return { exitCode: command === "fail" ? 2 : 0 }
        },
      },
    })
    expect(await textFrom(tool, { command: "ls", timeout: 5 })).toBe("ls in /far for 5")
    expect(await failureOf(tool, { command: "fail" })).toMatch(/Command exited with code 2$/)
  })

  it("pass failures of theirs as they are", async () => {
    const exec = async (): Promise<never> => {
      throw new Error("connection lost")
    }
    expect(await failureOf(createBashTool("/", { operations: { exec } }), { command: "ls" })).toBe(
      "connection lost",
    )
  })
})
