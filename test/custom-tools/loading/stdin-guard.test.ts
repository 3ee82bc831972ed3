// @module-tag waits
// @module-tag node
import fs from "node:fs"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"
import { runIsolated } from "../../../src/custom-tools/loading/isolation.ts"
import { runScript } from "../../support/run-script.ts"

describe("the standard input of foreign code", () => {
  it("is at its end, each its own", async () => {
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

  it("holds nobody, by whatever name of it", async () => {
    await expect(runScript("test/custom-tools/loading/samples/stdin-reader.ts")).resolves.toMatchObject({
      stdout: "nothing was read\n",
    })
  })

  it("holds no program that it starts", async () => {
    await expect(runScript("test/custom-tools/loading/samples/stdin-heir.ts")).resolves.toMatchObject({
      stdout: "nothing was read\n",
    })
  })
})

describe("the host", () => {
  it("keeps functions as they were for promisify", async () => {
    runIsolated("/tool.ts", () => undefined)
    const file = fs.openSync(new URL(import.meta.url), "r")
    const { bytesRead } = await promisify(fs.read)(file, Buffer.alloc(6), 0, 6, 0)
    fs.closeSync(file)
    expect(bytesRead).toBe(6)
  })
})
