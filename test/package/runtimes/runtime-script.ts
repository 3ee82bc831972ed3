/** Prints what stepline does in the runtime that runs this: a line of JSON for each thing that people rely on. */
import { constants } from "node:fs"
import { mkdir, mkdtemp, open, readFile, realpath, rm, stat, symlink, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { runIsolated } from "../../../src/custom-tools/loading/isolation.ts"
import { allTools } from "../../../src/impls/index.ts"
import { defineTool, pipeline, Step, ToolExecutor, ToolFilters, ToolRegistry } from "../../../src/index.ts"
import { type AddressGuardOptions, localHttp } from "../../../src/io/index.ts"

const print = (what: string, ...seen: ReadonlyArray<unknown>): void =>
  console.log(JSON.stringify([what, ...seen]))

const top = await realpath(await mkdtemp(join(tmpdir(), "stepline-runtime-")))
const cwd = join(top, "workspace")
await mkdir(cwd)
await writeFile(join(top, "secret"), "secret")
await symlink(top, join(cwd, "link"))

const order: Array<string> = []
const greet = defineTool({
  name: "greet",
  description: "",
  parameters: { type: "object", properties: { who: { type: "string" } }, required: ["who"] },
  compose: ({ who }) =>
    pipeline()
      .awaitApproval()
      .andThen(() => Step.Output(`hello ${who}`))
      .finally(() => {
        order.push("finally")
        return Step.Continue
      }),
})

const executor = new ToolExecutor(new ToolRegistry([greet, ...allTools()]), { cwd, workspace: cwd })

const call = async (name: string, params: object): Promise<void> => {
  const { status, content } = await executor.run({ name, params, decision: "approve" }, (event) => {
    if (event._tag === "Delegate") event.succeed()
  })
  print(name, status, content)
}

/** Runs what opens the pipe `held`, and waits until all that holds it has ended. */
const whileHeld = async (run: () => Promise<void>): Promise<void> => {
  const held = join(cwd, "held")
  await executor.run({ name: "shell", params: { command: "mkfifo held" }, decision: "approve" })
  const ended = readFile(held, "utf8")
  await run()
  // Where nobody came to open it, the reader still waits for a writer.
  await open(held, constants.O_WRONLY | constants.O_NONBLOCK).then(
    (file) => file.close(),
    () => {},
  )
  print("all ended", await ended)
  await rm(held)
}

const core = async (): Promise<void> => {
  const { content } = await executor.run({ name: "greet", params: { who: "you" } }, (event) => {
    order.push(event._tag)
    if (event._tag === "AwaitingApproval") event.approve()
  })
  print("a gate", content, order)
}

const files = async (): Promise<void> => {
  await call("write_file", { path: "a.txt", content: "one\n" })
  const before = await stat(join(cwd, "a.txt"))
  await call("edit_file", { path: "a.txt", edits: [{ old_string: "one", new_string: "two" }] })
  // Nobody reads half of one.
  print("a new file", (await stat(join(cwd, "a.txt"))).ino !== before.ino)
  await call("read_file", { path: "a.txt" })
  for (const path of ["../secret", "link/secret"]) {
    const { status } = await executor.run({ name: "read_file", params: { path }, decision: "approve" })
    print("a path that leads out", status)
  }
}

const shell = async (): Promise<void> => {
  await call("shell", { command: "echo out; echo err >&2; exit 3" })
  // One that left the command's session too.
  const command = "exec 9> held; setsid --fork sleep 600; sleep 600"
  await whileHeld(() => call("shell", { command, timeout: 1 }))
  const cancelling = new AbortController()
  const cancelled = { command: "exec 9> held; echo ready; sleep 600" }
  await whileHeld(() =>
    executor
      .run(
        { name: "shell", params: cancelled, decision: "approve" },
        (event) => event._tag === "Delta" && cancelling.abort(),
        { signal: cancelling.signal },
      )
      .then(
        ({ status }) => print("a cancelled command", status),
        ({ name }: Error) => print("a cancelled command", name),
      ),
  )
}

const rules = (): void => {
  const asShell = { name: "shell", primaryParam: "command", primaryKind: "command" } as const
  const asText = { name: "search", primaryParam: "query", primaryKind: "text" } as const
  const filters = ToolFilters.compile({
    shell: { allow: ["^(ls|echo)\\b"], deny: ["rm\\s+-rf", "curl.*\\|.*ps"] },
    // It holds, behind more tries than any engine makes.
    search: { deny: ["^(?:(a+)+|a+!)$"] },
  })
  for (const command of ["ls", "ls && rm -rf x", "make", `ls ${"curl\\|".repeat(3_000)}`]) {
    print("a rule", command.slice(0, 20), filters.evaluate(asShell, { command }) ?? "ask")
  }
  print("a slow rule", filters.evaluate(asText, { query: `${"a".repeat(40)}!` }))
}

const fetched = async (): Promise<void> => {
  let requests = 0
  const server = createServer((request, response) => {
    requests++
    if (request.url === "/redirect") response.writeHead(302, { location: "http://127.0.0.2:1/" })
    response.end("secret")
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const get = async (host: string, options: AddressGuardOptions, path = ""): Promise<void> => {
    const url = new URL(`http://${host}:${port}/${path}`)
    const end = await localHttp(options)
      .get({ url })
      .then(
        ({ status }) => status,
        (error: Error) => error.name,
      )
    print("a request", host, path, end)
  }
  const resolve = async () => [{ address: "127.0.0.1", family: 4 }]
  for (const host of ["127.0.0.1", "127.1", "localhost", "[::1]", "[::ffff:127.0.0.1]"]) await get(host, {})
  await get("name.example", { resolve })
  print("requests", requests)
  const isAllowed = (address: string) => address === "127.0.0.1"
  // Nothing else but the guard knows the name.
  await get("name.example", { resolve, isAllowed })
  await get("name.example", { resolve, isAllowed }, "redirect")
  print("requests", requests)
  server.closeAllConnections()
  server.close()
}

/** Standard output is the host's: what else comes there is no JSON. */
const foreign = (): void => {
  runIsolated("/tool.ts", () => {
    console.log("by the console")
    console.table([{ by: "a table" }])
    process.stdout.write("by a stream")
  })
  print("after foreign code")
}

try {
  await core()
  foreign()
  await files()
  await shell()
  rules()
  await fetched()
  executor.enqueue([
    { name: "shell", params: { command: "sleep 600" }, background: true, decision: "approve" },
  ])
  while ((await executor.next())?._tag !== "BackgroundStarted");
  await executor.shutdown()
  print("shut down")
} finally {
  await rm(top, { recursive: true })
}
