import fs from "node:fs"
import { setImmediate as nextTurn } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { foreignOwner, runIsolated, runOutside } from "../../../src/custom-tools/loading/isolation.ts"
import { runScript } from "../../run-script.ts"

const refused = (name: string): string =>
  `/tool.ts called process.${name}, which would end the program that runs it`

describe("foreign code", () => {
  it.each(["exit", "reallyExit", "abort"] as const)("cannot call process.%s", (name) => {
    const functions = process as unknown as Record<string, () => never>
    expect(() => runIsolated("/tool.ts", () => functions[name]!())).toThrow(refused(name))
  })

  it("cannot do so later either", async () => {
    const work = async () => {
      await nextTurn()
      process.exit(1)
    }
    await expect(runIsolated("/tool.ts", work)).rejects.toThrow(refused("exit"))
  })

  it("finds the standard input at its end, each its own", async () => {
    const stdin = process.stdin
    const read = async () => {
      expect(process.stdin).toBe(process.stdin)
      expect(process.stdin).not.toBe(stdin)
      const ended = new Promise((resolve) =>
        process.stdin.on("data", resolve).on("end", () => resolve("end")),
      )
      return await ended
    }
    expect(await runIsolated("/a.ts", read)).toBe("end")
    expect(await runIsolated("/b.ts", read)).toBe("end")
    expect(process.stdin).toBe(stdin)
  })

  it("does not wait for the standard input", () => {
    const read = () => [
      fs.readFileSync(0, "utf8"),
      fs.readFileSync("/dev/stdin").length,
      fs.readSync(0, Buffer.alloc(8)),
    ]
    expect(runIsolated("/tool.ts", read)).toEqual(["", 0, 0])
  })

  it("is known by its owner, and the host's code that it calls is not", async () => {
    const owners = () => [foreignOwner(), runOutside(foreignOwner), foreignOwner()]
    expect(runIsolated("/tool.ts", owners)).toEqual(["/tool.ts", undefined, "/tool.ts"])
    expect(await runIsolated("/tool.ts", () => nextTurn().then(foreignOwner))).toBe("/tool.ts")
    expect(foreignOwner()).toBeUndefined()
  })
})

describe("the process", () => {
  const script = (name: string) => runScript(`test/custom-tools/loading/samples/${name}.ts`)

  it("survives what foreign code leaves to nobody, and ends as the host wishes", async () => {
    await expect(script("stray")).rejects.toMatchObject({
      code: 4,
      stdout: "exit in a timer\nexit in a promise\nload: rejection, throw in a timer\n",
      stderr: "",
    })
  })

  it.each(["own-rejection", "own-throw"])("ends by the host's own failures as ever: %s", async (name) => {
    await expect(script(name)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Error: the host's"),
    })
  })
})
