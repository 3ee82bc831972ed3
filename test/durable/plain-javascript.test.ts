/** Mistakes of plain JavaScript in what a store is asked: each is told, and not taken for a question about everything. */
import { describe, expect, it } from "vitest"
import { openDurableExecutor } from "../../src/durable/index.ts"
import { pipeline, ToolRegistry } from "../../src/index.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { durableOf } from "./durable-of.ts"

describe("a store, by its runner and by a client, refuses", () => {
  const path = useTempFolder()

  it("what are no options, and no ids", async () => {
    const durable = await durableOf(path("calls.db"), { t: pipeline() })
    await using client = await openDurableExecutor({ store: path("calls.db"), runner: false })
    const { signal } = new AbortController()
    const options = (of: string, keys: string, given: string) =>
      `Expected the options of \`${of}\` to be an object with ${keys}, got ${given}`
    for (const calls of [durable, client]) {
      await expect(calls.inbox("main" as never)).rejects.toThrow(
        options("inbox", "agentId, after, limit", "`main` (string)"),
      )
      expect(() => calls.events(5 as never)).toThrow(
        options("events", "after, agentId, signal", "`5` (number)"),
      )
      await expect(calls.approve("c", { command: "ls" } as never)).rejects.toThrow(
        options("approve", "params, reason, remember, by", "`{ command }`"),
      )
      await expect(calls.resolve({ action: "apply", reason: "" }, "main" as never)).rejects.toThrow(
        options("resolve", "agentId, signal, by", "`main` (string)"),
      )
      await expect(calls.tasks.wait("t", signal as never)).rejects.toThrow(
        options("wait", "signal", "`[object AbortSignal]` (object)"),
      )
      const item = { callId: "c" } as never
      for (const method of ["approve", "deny", "cancel"] as const)
        await expect(calls[method](item)).rejects.toThrow("Expected a call's id, a string")
      for (const method of ["get", "take", "wait"] as const)
        await expect(calls.tasks[method](item)).rejects.toThrow("Expected a task's id, a string")
      await expect(calls.tasks.list({ agentId: "a" } as never)).rejects.toThrow(
        "Expected `agentId` to be a string",
      )
    }
  })

  it("no `runner` that says where it stands", async () => {
    const runner = { host: "127.0.0.1", port: 34_431 }
    const store = path("calls.db")
    await using durable = await openDurableExecutor({ registry: new ToolRegistry(), store, runner })
    expect(await durable.inbox()).toEqual([])
  })

  it("a `runner` and a `keepsRules` that are neither true nor false, and no attempts", async () => {
    const open = (options: object) =>
      openDurableExecutor({ store: path("calls.db"), registry: new ToolRegistry(), ...options } as never)
    await expect(open({ runner: "false" })).rejects.toThrow(
      "Expected `runner` to be true or false, got `false` (string)",
    )
    await expect(open({ maxAttempts: 0 })).rejects.toThrow(
      "Expected `maxAttempts` to be a positive integer, got `0` (number)",
    )
    await expect(open({ keepsRules: "no" })).rejects.toThrow(
      "Expected `keepsRules` to be true or false, got `no` (string)",
    )
  })
})
