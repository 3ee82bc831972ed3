// @module-tag waits
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { describe, expect, it, onTestFinished } from "vitest"
import { compileScript } from "../../support/run-script.ts"
import { revisions, stockClient } from "./connected.ts"

/** The server that the conformance suite is run against, in a process of its own. */
const start = async (): Promise<URL> => {
  const server = await compileScript("test/hosts/mcp/conformance-server.ts")
  const child = spawn(process.execPath, [server])
  onTestFinished(() => void child.kill("SIGKILL"))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return new URL((await lines.next()).value!)
}

describe("the server of the conformance suite", () => {
  it("has prompts, resources and completion beside its tools, in both revisions", async () => {
    const url = await start()
    for (const revision of revisions) {
      const client = stockClient({ revision })
      await client.connect(new StreamableHTTPClientTransport(url))
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name)).toContain("test_simple_text")
      const { prompts } = await client.listPrompts()
      expect(prompts).toHaveLength(5)
      const prompt = { name: "test_prompt_with_arguments", arguments: { arg1: "a", arg2: "b" } }
      expect(await client.getPrompt(prompt)).toMatchObject({
        messages: [{ content: { text: "Prompt with arguments: arg1='a', arg2='b'" } }],
      })
      const read = await client.readResource({ uri: "test://template/7/data" })
      expect(read.contents[0]).toMatchObject({ text: expect.stringContaining("Data for ID: 7") })
      await expect(client.readResource({ uri: "test://nothing" })).rejects.toThrow()
      const argument = { name: "arg1", value: "a" }
      const { completion } = await client.complete({
        ref: { type: "ref/prompt", name: prompt.name },
        argument,
      })
      expect(completion.values).toEqual(["a…"])
      await client.close()
    }
  })
})
