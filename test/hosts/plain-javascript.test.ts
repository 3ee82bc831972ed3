/** Mistakes of plain JavaScript in what a host serves: nothing listens anywhere. */
import { describe, expect, it } from "vitest"
import { mcpServer, serveMcpHttp, serveMcpStdio } from "../../src/hosts/mcp/index.ts"
import { serveWeb } from "../../src/hosts/web/index.ts"
import { executorOf } from "../support/executor-of.ts"

const about = { name: "notes", version: "1.0.0" }

describe("what serves refuses", () => {
  it.each(["abc", "8080", -1, 65_536, 1.5, Number.NaN])("the port %o", async (port) => {
    const executor = executorOf({})
    const message = `Expected \`port\` to be a number from 0 to 65535, got \`${port}\` (${typeof port})`
    await expect(serveWeb(executor, { port: port as never })).rejects.toThrow(new TypeError(message))
    const { build } = mcpServer(executor, about)
    await expect(serveMcpHttp(build, { port: port as never })).rejects.toThrow(new TypeError(message))
  })

  it("a page of what is no executor, or with options that are none", async () => {
    const executor = executorOf({})
    await expect(serveWeb({} as never)).rejects.toThrow(
      "Expected a ToolExecutor, or the calls of a store, got `[object Object]` (object)",
    )
    await expect(serveWeb(executor, 8080 as never)).rejects.toThrow(
      "Expected the options of `serveWeb` to be an object with port, title, tools, maxCalls, who, got `8080` (number)",
    )
    await expect(serveWeb(executor, { title: 5 as never })).rejects.toThrow(
      "Expected `title` to be a string, got `5` (number)",
    )
    await expect(serveWeb(executor, { tools: [] as never })).rejects.toThrow(
      "Expected `tools` to be a ToolRegistry",
    )
  })

  it("an executor in place of what builds its servers", async () => {
    const executor = executorOf({}) as never
    const message = "Expected the `build` that `mcpServer` gives, got `[object Object]` (object)"
    await expect(serveMcpHttp(executor, { port: 0 })).rejects.toThrow(message)
    await expect(serveMcpStdio(executor)).rejects.toThrow(message)
  })

  it("a server without a version, and functions that are none", () => {
    const executor = executorOf({})
    expect(() => mcpServer(executor, { name: "notes" } as never)).toThrow(
      "Expected `version` of the server to be a string, got `undefined` (undefined)",
    )
    for (const option of ["questions", "tasks", "configure"])
      expect(() => mcpServer(executor, { ...about, [option]: "always" })).toThrow(
        `Expected \`${option}\` to be a function, got \`always\` (string)`,
      )
  })
})
