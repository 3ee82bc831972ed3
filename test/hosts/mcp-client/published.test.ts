// @module-tag waits
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { beforeEach, describe, expect, it, onTestFinished } from "vitest"
import { ToolExecutor, ToolFilters, type ToolResult } from "../../../src/index.ts"
import { type StartedServer, serverFile, startServer } from "./published.ts"

let folder: string

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "stepline-mcp-client-")))
  return () => rm(folder, { recursive: true, force: true })
})

/** Calls tools by name, and knows which were never called. */
const callerOf = ({ executor, tools }: StartedServer) => {
  const left = new Set(tools.names)
  const call = (name: string, params: unknown = {}): Promise<ToolResult> => {
    left.delete(name)
    return executor.run({ name, params })
  }
  return { call, left }
}

describe("the published server `everything`", () => {
  it("has every tool called", async () => {
    const started = await startServer(serverFile("everything"))
    const { call, left } = callerOf(started)
    expect(await call("echo", { message: "hi" })).toMatchObject({ status: "complete", content: "Echo: hi" })
    expect(await call("get-sum", { a: 2, b: "3" })).toMatchObject({ content: "The sum of 2 and 3 is 5." })
    const annotated = await call("get-annotated-message", { messageType: "error", includeImage: true })
    expect(annotated.output.content).toMatchObject([
      { type: "text", annotations: { priority: 1 } },
      { type: "image", mimeType: "image/png" },
    ])
    expect((await call("get-env")).content).toContain("PATH")
    const links = await call("get-resource-links", { count: 2 })
    expect(links.output.content.map(({ type }) => type)).toEqual(["text", "resource_link", "resource_link"])
    const reference = await call("get-resource-reference", { resourceType: "Blob", resourceId: 1 })
    expect(reference.output.content).toContainEqual(expect.objectContaining({ type: "resource" }))
    const structured = await call("get-structured-content", { location: "Chicago" })
    expect(structured.output.structured).toMatchObject({ conditions: expect.any(String) })
    expect((await call("get-tiny-image")).output.content[1]).toMatchObject({ type: "image" })
    const zipped = await call("gzip-file-as-resource", { name: "a.gz", data: "data:text/plain,hi" })
    expect(zipped.output.content[0]!.type).toMatch(/^resource/)
    for (const name of ["toggle-simulated-logging", "toggle-subscriber-updates"]) {
      expect((await call(name)).status).toBe("complete")
      // On, and off again: it writes as long as it is on.
      expect((await call(name)).status).toBe("complete")
    }
    // As a task.
    expect(await call("simulate-research-query", { topic: "a" })).toMatchObject({ status: "complete" })
    expect((await call("trigger-long-running-operation", { duration: 0.1, steps: 1 })).status).toBe(
      "complete",
    )
    expect(await call("trigger-elicitation-request")).toMatchObject({ status: "complete" })
    const resources = await call("mcp__remote__list_resources")
    expect(resources.content).toContain("demo://resource/dynamic/text/{resourceId} (template) – ")
    const read = (uri: string) => call("mcp__remote__read_resource", { uri })
    const [, uri] = /^(demo:\/\/resource\/static\/\S+features.md) – .*text\/markdown/m.exec(
      resources.content,
    )!
    expect((await read(uri!)).content).toMatch(/^# Everything Server/)
    expect((await read("demo://resource/dynamic/blob/1")).output.content).toMatchObject([
      { type: "resource", resource: { blob: expect.any(String) } },
    ])
    expect(await read("demo://nothing")).toMatchObject({ status: "error", reason: "failed" })
    expect((await call("mcp__remote__list_prompts")).content).toContain("args-prompt(city, state?) – ")
    const prompt = { name: "args-prompt", arguments: { city: "Oslo" } }
    expect(await call("mcp__remote__get_prompt", prompt)).toMatchObject({
      content: "user: What's weather in Oslo?\n",
    })
    expect([...left]).toEqual([])
    expect(await call("echo", {})).toMatchObject({ status: "error", reason: "invalid" })
    expect(started.errors).toEqual([])
  })

  it("tells its progress as deltas", async () => {
    const { executor } = await startServer(serverFile("everything"))
    const params = { duration: 0.3, steps: 3 }
    const deltas: Array<string> = []
    const result = await executor.run({ name: "trigger-long-running-operation", params }, (event) => {
      if (event._tag === "Delta") deltas.push(event.content)
    })
    expect(result.content).toContain("completed")
    // Without a message, progress says how far it is.
    expect(deltas.slice(0, 2)).toEqual(["1/3\n", "2/3\n"])
  })

  it("has its calls cancelled, and ended where they take too long", async () => {
    const { executor, registry } = await startServer(serverFile("everything"), {
      executor: { callTimeout: 300 },
    })
    const params = { duration: 600, steps: 1 }
    const slow = await executor.run({ name: "trigger-long-running-operation", params })
    expect(slow).toMatchObject({ status: "error", reason: "timeout" })
    const cancelled = await executor.run({ name: "trigger-long-running-operation", params }, (event) => {
      if (event._tag === "Started") executor.cancelCall(event.callId, "enough")
    })
    expect(cancelled).toMatchObject({ status: "cancelled", content: "enough" })
    // However long it takes on a busy machine.
    const patient = new ToolExecutor(registry)
    onTestFinished(() => patient.shutdown())
    expect(await patient.run({ name: "echo", params: { message: "well" } })).toMatchObject({
      content: "Echo: well",
    })
  })

  it("is started again after a crash, under which its calls end as errors", async () => {
    const { executor, transports } = await startServer(serverFile("everything"))
    const params = { duration: 600, steps: 600 }
    let server = transports[0]!.pid
    const lost = await executor.run({ name: "trigger-long-running-operation", params }, (event) => {
      if (event._tag !== "Delta" || server === null) return
      process.kill(server, "SIGKILL")
      // More of its progress may be on its way already.
      server = null
    })
    expect(lost).toMatchObject({ status: "error", reason: "failed" })
    expect(lost.content).toMatch(/^The connection to the MCP server remote was lost during this call/)
    expect(await executor.run({ name: "echo", params: { message: "again" } })).toMatchObject({
      content: "Echo: again",
    })
    expect(transports).toHaveLength(2)
  })

  it("has gates, rules on its own primary parameter, and denials", async () => {
    const { executor, registry } = await startServer(serverFile("everything"), {
      approval: ({ name }) => name === "echo",
      primary: ({ name }) => (name === "echo" ? { param: "message" } : undefined),
      executor: { filters: ToolFilters.compile({ echo: { allow: ["^fine$"], deny: ["secret"] } }) },
    })
    expect(registry.get("get-sum")?.annotations).toMatchObject({ readOnly: true })
    const echo = (message: string, onEvent?: Parameters<typeof executor.run>[1]) =>
      executor.run({ name: "echo", params: { message } }, onEvent)
    expect(await echo("fine")).toMatchObject({ status: "complete" })
    expect(await echo("a secret")).toMatchObject({ status: "denied", by: "policy" })
    expect(
      await echo("hm", (event) => {
        if (event._tag !== "AwaitingApproval") return
        expect(event.label).toBe("echo of the MCP server remote")
        event.deny("not that")
      }),
    ).toMatchObject({ status: "denied", content: "not that" })
    const edited = await echo("hm", (event) => {
      if (event._tag === "AwaitingApproval") event.approve({ params: { message: "edited" } })
    })
    expect(edited.content).toBe("Echo: edited")
  })
})

describe("the published server `filesystem`", () => {
  it("has every tool called", async () => {
    const started = await startServer(serverFile("filesystem"), { args: [folder] })
    const { call, left } = callerOf(started)
    const path = join(folder, "a.txt")
    await writeFile(join(folder, "dot.png"), Buffer.from("iVBORw0KGgo=", "base64"))
    expect((await call("write_file", { path, content: "one\n" })).status).toBe("complete")
    expect(await call("read_text_file", { path })).toMatchObject({ content: "one\n", status: "complete" })
    expect(await call("read_file", { path })).toMatchObject({ content: "one\n" })
    const edits = [{ oldText: "one", newText: "two" }]
    expect((await call("edit_file", { path, edits })).content).toContain("+two")
    expect(await readFile(path, "utf8")).toBe("two\n")
    expect((await call("read_multiple_files", { paths: [path] })).content).toContain("two")
    expect((await call("read_media_file", { path: join(folder, "dot.png") })).output.content).toContainEqual(
      expect.objectContaining({ type: "image" }),
    )
    expect((await call("create_directory", { path: join(folder, "b") })).status).toBe("complete")
    const destination = join(folder, "b/c.txt")
    expect((await call("move_file", { source: path, destination })).status).toBe("complete")
    expect((await call("list_directory", { path: folder })).content).toContain("[DIR] b")
    expect((await call("list_directory_with_sizes", { path: folder })).content).toContain("[DIR] b")
    expect((await call("directory_tree", { path: folder })).content).toContain("c.txt")
    expect((await call("search_files", { path: folder, pattern: "**/*.txt" })).content).toContain("c.txt")
    expect((await call("get_file_info", { path: destination })).content).toContain("size: 4")
    expect((await call("list_allowed_directories")).content).toContain(folder)
    expect([...left]).toEqual([])
    const outside = await call("read_text_file", { path: "/etc/hostname" })
    expect(outside).toMatchObject({ status: "error", reason: "failed" })
    expect(outside.content).toContain("Access denied")
  })
})

describe("the published server `memory`", () => {
  it("has every tool called", async () => {
    const env = { MEMORY_FILE_PATH: join(folder, "memory.json") }
    const { call, left } = callerOf(await startServer(serverFile("memory"), { env }))
    const entity = { name: "anne", entityType: "person", observations: ["tall"] }
    expect((await call("create_entities", { entities: [entity] })).status).toBe("complete")
    const bo = { name: "bo", entityType: "person", observations: [] }
    expect((await call("create_entities", { entities: [bo] })).status).toBe("complete")
    const relation = { from: "anne", to: "bo", relationType: "knows" }
    expect((await call("create_relations", { relations: [relation] })).status).toBe("complete")
    const observations = [{ entityName: "bo", contents: ["short"] }]
    expect((await call("add_observations", { observations })).status).toBe("complete")
    expect((await call("search_nodes", { query: "short" })).content).toContain("bo")
    expect((await call("open_nodes", { names: ["anne"] })).output.structured).toMatchObject({
      entities: [entity],
    })
    const deletions = [{ entityName: "bo", observations: ["short"] }]
    expect((await call("delete_observations", { deletions })).status).toBe("complete")
    expect((await call("delete_relations", { relations: [relation] })).status).toBe("complete")
    expect((await call("delete_entities", { entityNames: ["bo"] })).status).toBe("complete")
    expect((await call("read_graph")).output.structured).toEqual({ entities: [entity], relations: [] })
    const { content: graph } = await call("mcp__remote__list_resources")
    const uri = graph.split(" ")[0]
    expect((await call("mcp__remote__read_resource", { uri })).content).toContain('"anne"')
    expect([...left]).toEqual([])
  })
})
