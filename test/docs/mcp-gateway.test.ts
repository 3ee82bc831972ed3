// @module-tag waits
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { Client, type ElicitResult } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { describe, expect, it, onTestFinished } from "vitest"
import type { GatewayConfig } from "../../docs/recipes/mcp-gateway.ts"
import { verifyDecisionLog } from "../../src/index.ts"
import { approve, type Revision, revisions, textOfResult } from "../hosts/mcp/connected.ts"
import { serverFile } from "../hosts/mcp-client/published.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { compileScript } from "../support/run-script.ts"

const path = useTempFolder()

/** The SDK gives a request a minute: on a busy machine it takes that to start the gateway, and the servers behind it. */
const timeout = 110_000

type Published = Parameters<typeof serverFile>[0]

/** A gateway in a process of its own, in front of published servers, and a stock client whose user answers. */
const start = async (
  revision: Revision,
  servers: ReadonlyArray<Published>,
  answer: (message: string) => ElicitResult = () => approve(),
) => {
  await mkdir(path("notes"))
  await writeFile(path("notes/a.md"), "# A\n")
  await writeFile(path("notes/.env"), "SECRET=1\n")
  const program = (name: Published) => ({
    command: process.execPath,
    args: [serverFile(name), ...(name === "filesystem" ? [path("notes")] : [])],
    env: { MEMORY_FILE_PATH: path("memory.json") },
  })
  const file = { param: "path", kind: "path" } as const
  const config: GatewayConfig = {
    servers: Object.fromEntries(servers.map((name) => [name, program(name)])),
    matches: { read_text_file: file, write_file: file },
    rules: {
      read_text_file: { allow: ["\\.md$"], deny: ["\\.env$"] },
      read_multiple_files: { deny: [".*"] },
      "trigger-long-running-operation": { allow: [".*"] },
    },
    log: path("decisions.jsonl"),
  }
  await writeFile(path("gateway.json"), JSON.stringify(config))
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [await compileScript("docs/recipes/mcp-gateway.ts"), path("gateway.json")],
    cwd: path(),
  })
  const versionNegotiation = { mode: revision === "2026-07-28" ? { pin: revision } : ("legacy" as const) }
  const capabilities = { elicitation: { form: {} } }
  const client = new Client({ name: "a client", version: "1.0.0" }, { capabilities, versionNegotiation })
  const asked: Array<string> = []
  client.setRequestHandler("elicitation/create", ({ params }) => {
    asked.push(params.message)
    return answer(params.message)
  })
  onTestFinished(() => client.close())
  await client.connect(transport, { timeout })
  const call = (name: string, params: Record<string, unknown> = {}) =>
    client.callTool({ name, arguments: params }, { timeout })
  return { client, call, asked }
}

describe.each(revisions)("docs/recipes/mcp-gateway.ts, to a client of revision %s", (revision) => {
  it("lets rules decide: what they deny reaches no server, whatever the user would say", async () => {
    const { call, asked } = await start(revision, ["filesystem"])
    const read = (name: string) => call("read_text_file", { path: path(`notes/${name}`) })
    expect(textOfResult(await read("a.md"))).toBe("# A\n")
    for (const denied of [
      await read(".env"),
      await read("b/../.env"),
      await call("read_multiple_files", { paths: [path("notes/.env")] }),
    ]) {
      expect(denied.isError).toBe(true)
      expect(textOfResult(denied)).toMatch(/^Denied by policy/)
      expect(JSON.stringify(denied)).not.toContain("SECRET")
    }
    expect(asked).toEqual([])
    const { lines, problems } = verifyDecisionLog(await readFile(path("decisions.jsonl"), "utf8"))
    expect(problems).toEqual([])
    expect(lines.map(({ tool, verdict, by }) => [tool, verdict, by])).toEqual([
      ["read_text_file", "approve", "rule"],
      ["read_text_file", "run", "rule"],
      ["read_text_file", "deny", "rule"],
      ["read_text_file", "deny", "rule"],
      ["read_multiple_files", "deny", "rule"],
    ])
  })

  it("asks the client's user for all else, who approves, edits, or says why not", async () => {
    const answers = [
      approve(),
      approve({ params: JSON.stringify({ path: path("notes/c.md"), content: "edited" }) }),
      { action: "accept" as const, content: { decision: "deny", reason: "Not in the notes" } },
    ]
    const { call, asked } = await start(revision, ["filesystem"], () => answers.shift()!)
    const write = (name: string) => call("write_file", { path: path(`notes/${name}`), content: "one" })
    expect((await write("b.md")).isError).toBeFalsy()
    expect(asked[0]).toMatch(
      /^May the tool .*\(write_file\) run\?\n\nwrite_file of the MCP server filesystem\n/,
    )
    expect(textOfResult(await write("x.md"))).toMatch(/^The user edited the parameters before this ran/)
    const denied = await write("y.md")
    expect(denied).toMatchObject({ isError: true })
    expect(textOfResult(denied)).toBe("Not in the notes")
    expect(await readFile(path("notes/b.md"), "utf8")).toBe("one")
    expect(await readFile(path("notes/c.md"), "utf8")).toBe("edited")
    await expect(readFile(path("notes/x.md"))).rejects.toThrow("ENOENT")
    await expect(readFile(path("notes/y.md"))).rejects.toThrow("ENOENT")
  })

  it("offers the tools of all servers, passes on structured results, progress and cancels", async () => {
    const { client, call } = await start(revision, ["memory", "everything"])
    const { tools } = await client.listTools()
    const names = tools.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(["create_entities", "echo"]))
    expect(names).not.toContain("shell")
    expect(tools.find(({ name }) => name === "read_graph")).toMatchObject({
      annotations: { readOnlyHint: true },
      outputSchema: { type: "object", properties: { entities: { type: "array" } } },
    })
    const entity = { name: "anne", entityType: "person", observations: ["tall"] }
    expect(await call("create_entities", { entities: [entity] })).toMatchObject({
      structuredContent: { entities: [entity] },
    })
    const slow = { name: "trigger-long-running-operation", arguments: { duration: 600, steps: 1200 } }
    const abort = new AbortController()
    const progress: Array<string | undefined> = []
    const cancelled = client.callTool(slow, {
      signal: abort.signal,
      onprogress: ({ message }) => {
        progress.push(message)
        abort.abort()
      },
    })
    await expect(cancelled).rejects.toThrow()
    expect(progress[0]).toMatch(/1/)
    expect(textOfResult(await call("echo", { message: "well" }))).toBe("Echo: well")
  })
})
