// @module-tag waits
// @module-tag node
import { once } from "node:events"
import { readFile, writeFile } from "node:fs/promises"
import { afterEach, describe, expect, it } from "vitest"
import { ServeProcess } from "../hosts/serve/serve-process.ts"
import { makeFifo } from "../io/fifo.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { useCli } from "./built-cli.ts"

const cli = useCli()
const path = useTempFolder()
let served: ServeProcess | undefined

afterEach(() => {
  served?.child.kill("SIGKILL")
})

const serveIn = (env: NodeJS.ProcessEnv, ...args: ReadonlyArray<string>): ServeProcess => {
  served = new ServeProcess(cli.path, { cwd: path(), args: ["--no-discovery", ...args], env })
  return served
}

const serve = (...args: ReadonlyArray<string>): ServeProcess => serveIn({}, ...args)

const initialized = async (host: ServeProcess, session: object = {}): Promise<ServeProcess> => {
  const { error } = await host.request("initialize", { protocolVersion: 1, ...session })
  expect(error).toBeUndefined()
  return host
}

const open = (session: object = {}, ...args: ReadonlyArray<string>): Promise<ServeProcess> =>
  initialized(serve(...args), session)

const allowed = (command: string, more: object = {}) => ({
  name: "shell",
  params: { command },
  decision: "approve",
  ...more,
})

/** A command that holds a pipe open: it can be read to its end once all that it started has ended. */
const holding = (command: string) => {
  makeFifo(path("held"))
  return { command: `exec 9> held\n${command}`, allEnded: readFile(path("held"), "utf8") }
}

describe("serve refuses", () => {
  const lines: ReadonlyArray<readonly [line: string, code: number, sentence: string]> = [
    ["nonsense", -32700, "is not valid JSON. Send a message a line."],
    ["\u0000", -32700, "The line is no JSON"],
    ["[]", -32600, "Batches are not supported: send a message a line."],
    ["3", -32600, "Expected a request, an object, got `3` (number)."],
    ['{"id":1,"method":"inspect"}', -32600, 'Expected `jsonrpc` to be "2.0", got `undefined` (undefined).'],
    ['{"jsonrpc":"2.0","id":{},"method":"x"}', -32600, "Expected `id` to be a string or a number"],
    ['{"jsonrpc":"2.0","id":1}', -32600, "Expected `method` to be a string"],
    ['{"jsonrpc":"2.0","id":1,"method":"x","params":[]}', -32602, "to be an object, by name."],
    [
      '{"jsonrpc":"2.0","id":1,"method":"toString"}',
      -32601,
      "There is no method `toString`. Methods: initialize,",
    ],
    [
      '{"jsonrpc":"2.0","id":1,"method":"inspect"}',
      -32002,
      "Send `initialize` before `inspect`, and wait for its answer.",
    ],
  ]

  it("what is no request, and goes on", async () => {
    const host = serve()
    for (const [line, code, sentence] of lines) {
      host.write(line)
      const { error } = (await host.next())!
      expect([line, error]).toEqual([line, { code, message: expect.stringContaining(sentence) }])
    }
  })

  const sessions: ReadonlyArray<readonly [session: object, sentence: string]> = [
    [{ options: { callTimeout: "soon" } }, "Expected `callTimeout` to be a duration"],
    [{ options: { maxOutputBytes: "all" } }, "Expected `maxOutputBytes` to be"],
    [{ options: { undo: true } }, "Expected `undo` to be"],
    [{ options: { hooks: {} } }, "was sent `hooks`."],
    [{ options: { cwd: "nowhere" } }, "there is no such folder"],
    [{ options: { cwd: 3 } }, "Expected `cwd` of `options of initialize` to be a string"],
    [{ filters: { shell: { allow: ["("] } } }, "The allow pattern `(` of tool `shell` does not compile"],
    [{ filters: 3 }, "Expected `filters` of `initialize` to be an object"],
    [{ window: 0 }, "Expected `window` of `initialize` to be a positive integer"],
    [{ effects: "IdeOpen" }, "Expected `effects` of `initialize` to be a list"],
  ]

  it("to initialize with what cannot be meant, and takes a better one, once", async () => {
    const host = serve()
    for (const [session, sentence] of sessions) {
      const { error } = await host.request("initialize", { protocolVersion: 1, ...session })
      expect([session, error]).toEqual([
        session,
        { code: -32602, message: expect.stringContaining(sentence) },
      ])
    }
    const old = await host.request("initialize", { protocolVersion: 2 })
    expect(old.error).toEqual({
      code: -32602,
      message: "This is version 1 of the protocol: initialize with `protocolVersion` 1.",
      data: { supported: [1], requested: 2 },
    })
    const { result } = await host.request("initialize", { protocolVersion: 1 })
    expect(result).toMatchObject({ protocolVersion: 1, serverInfo: { name: "stepline" } })
    expect((await host.request("initialize", { protocolVersion: 1 })).error?.code).toBe(-32600)
  })

  it("parameters that no method has, and what is no call, and goes on", async () => {
    const host = await open()
    for (const [method, params, sentence] of [
      [
        "approve",
        { callId: 3 },
        "Expected `callId` of `approve` to be a string that is not empty, got `3` (number).",
      ],
      [
        "approve",
        { call: "x" },
        "`approve` takes `callId`, `params`, `reason`, `remember`, `by`, and was sent `call`.",
      ],
      ["enqueue", {}, "Expected `calls` of `enqueue` to be a list"],
      [
        "enqueue",
        { calls: [{ name: "shell" }, { nam: "shell" }] },
        "Expected `name` of a call to be a string",
      ],
      ["cancel", { callId: "x", agentId: "y" }, "not both"],
      ["tools/define", { tools: [3] }, "Expected each of `tools` of `tools/define` to be an object."],
      [
        "tools/define",
        { tools: [{ name: "a b", description: "x", parameters: {} }] },
        "Expected a tool's name",
      ],
      [
        "tools/define",
        { tools: [{ name: "shell", description: "x", parameters: { type: "object" } }] },
        "There is a tool `shell` already, which is not yours.",
      ],
    ] as const) {
      const { error } = await host.request(method, params)
      expect(error).toMatchObject({ code: -32602, message: expect.stringContaining(sentence) })
    }
    // Nothing of the list with the wrong call was taken.
    expect((await host.request("inspect")).result).toEqual({ calls: [] })
  })

  it("a line past the bound, and reads the next one", async () => {
    const host = await open()
    const chunk = "x".repeat(1024 * 1024)
    for (let i = 0; i < 65; i++) host.child.stdin.write(chunk)
    host.write("")
    expect((await host.next())?.error).toMatchObject({
      code: -32700,
      message: expect.stringMatching(/^The line has \d+ bytes; the most that a line may have are 67108864\./),
    })
    expect((await host.request("inspect")).result).toEqual({ calls: [] })
  })
})

describe("serve", () => {
  it("answers enqueue before it tells of the calls", async () => {
    const host = await open({ filters: { shell: { allow: ["^echo "] } } })
    const { result } = await host.request("enqueue", {
      calls: [{ name: "shell", params: { command: "echo hi" } }],
    })
    expect(host.tags).toEqual([])
    const [callId] = result!.callIds as [string]
    const { params } = await host.event("Completed", callId)
    expect(params?.event).toMatchObject({
      content: "hi\n",
      decidedBy: { kind: "rule", source: "initialize" },
    })
    expect(host.tags).toEqual(["Started", "Delta", "Completed"])
  })

  it("keeps to the rules of its command line, whatever the client allows", async () => {
    const host = await open({ filters: { shell: { allow: ["."] } } }, "--deny", "shell=^rm ")
    await host.request("enqueue", { calls: [{ name: "shell", params: { command: "rm x" } }] })
    expect((await host.event("Denied")).params?.event).toMatchObject({ by: "policy" })
  })

  it("answers questions once: a stale answer did not take effect", async () => {
    const host = await open()
    await host.request("enqueue", { calls: [{ name: "shell", callId: "c", params: { command: "echo hi" } }] })
    expect((await host.event("AwaitingApproval")).params?.event).toMatchObject({
      callId: "c",
      because: expect.any(String),
    })
    expect((await host.request("respond", { callId: "c" })).result).toEqual({ took: false })
    expect((await host.request("deny", { callId: "c", reason: "not now" })).result).toEqual({ took: true })
    expect((await host.request("approve", { callId: "c" })).result).toMatchObject({ took: false })
    await host.ended.length
    const denied =
      host.messages.find(({ params }) => params?.event._tag === "Denied") ?? (await host.event("Denied"))
    expect(denied.params?.event).toMatchObject({ content: "not now", by: "user" })
  })

  it("answers for a client without effects: an editor's succeed with nothing, others fail", async () => {
    await writeFile(path("a.txt"), "old\n")
    const host = await open()
    const calls = [
      {
        name: "edit_file",
        callId: "edit",
        decision: "approve",
        params: { path: "a.txt", edits: [{ old_string: "old", new_string: "new" }] },
      },
      { name: "spawn_agent", callId: "spawn", decision: "approve", params: { task: "x" } },
    ]
    await host.request("enqueue", { calls })
    expect((await host.event("Completed", "edit")).params?.event.content).toContain(
      "Successfully applied 1 edit",
    )
    const { params } = await host.until(
      ({ params }) => params?.event.callId === "spawn" && params.event._tag !== "Started",
    )
    expect(params?.event._tag).toBe("Error")
  })

  it("asks a client for the effects that it names", async () => {
    await writeFile(path("a.txt"), "old\n")
    const host = await open({ effects: ["IdeCheckUnsavedEdits"] })
    const edits = [{ old_string: "old", new_string: "new" }]
    const call = { name: "edit_file", callId: "c", decision: "approve", params: { path: "a.txt", edits } }
    await host.request("enqueue", { calls: [call] })
    const { params } = await host.event("Delegate")
    expect(params?.event.effect).toMatchObject({ _tag: "IdeCheckUnsavedEdits" })
    host.send("respond", { callId: "c", error: "There are unsaved edits." })
    expect((await host.event("Error", "c")).params?.event.content).toContain("There are unsaved edits.")
    expect(await readFile(path("a.txt"), "utf8")).toBe("old\n")
  })

  it("resolves previews outside the lane of their agent, and answers with the result behind its events", async () => {
    await writeFile(path("a.ts"), "foo(1)\n")
    const host = await open()
    const ops = [{ pattern: "foo($A)", replacement: "bar($A)" }]
    const calls = [
      { name: "ast_edit", callId: "edit", decision: "approve", params: { ops, paths: ["a.ts"] } },
      { name: "shell", callId: "asking", params: { command: "echo hi" } },
    ]
    await host.request("enqueue", { calls })
    expect((await host.event("Completed", "edit")).params?.event).toMatchObject({
      staged: { label: expect.any(String) },
    })
    await host.event("AwaitingApproval", "asking")
    expect((await host.request("toolChoice")).result).toMatchObject({
      toolChoice: { mode: "remind", toolName: "resolve" },
    })
    const id = host.send("resolve", { callId: "r", action: "apply", reason: "It is right." })
    expect((await host.event("AwaitingApproval", "r")).params?.event).toMatchObject({
      name: "ast_edit",
      preview: { content: [{ text: expect.stringContaining("+bar(1)\n") }] },
    })
    expect((await host.request("approve", { callId: "r" })).result).toEqual({ took: true })
    const { result, error } = await host.until((message) => message.id === id)
    expect(error).toBeUndefined()
    expect(result).toMatchObject({ status: "complete", isError: false })
    expect(host.tags.slice(-2)).toEqual(["ActionResolved", "Completed"])
    expect(await readFile(path("a.ts"), "utf8")).toBe("bar(1)\n")
  })

  it("runs background tasks, moves calls there, and cancels", async () => {
    const host = await open()
    const calls = [
      allowed("echo one", { callId: "one", background: true }),
      allowed("echo started; sleep 600", { callId: "two" }),
      allowed("echo started; sleep 600", { callId: "three", agentId: "other" }),
    ]
    await host.request("enqueue", { calls })
    const waited = await host.request("tasks/wait", { taskId: "one" })
    expect(waited.result?.task).toMatchObject({ id: "one", status: "complete", content: "one\n" })
    expect((await host.request("tasks/take", { taskId: "one" })).result?.task).toMatchObject({
      content: "one\n",
    })
    expect((await host.request("tasks/get", { taskId: "one" })).result).toEqual({ task: null })
    for (const callId of ["two", "three"]) {
      const isDelta = ({ params }: (typeof host.messages)[0]) =>
        params?.event._tag === "Delta" && params.event.callId === callId
      if (!host.messages.some(isDelta)) await host.until(isDelta)
    }
    expect((await host.request("toBackground", { callId: "two" })).result).toEqual({ took: true })
    expect((await host.request("tasks/list")).result?.tasks).toMatchObject([{ id: "two", status: "running" }])
    expect((await host.request("cancel", { agentId: "other", reason: "enough" })).result).toEqual({
      took: true,
      count: 1,
    })
    expect((await host.request("cancel", { callId: "two" })).result).toEqual({ took: true, count: 1 })
    expect((await host.request("tasks/wait", { taskId: "two" })).result?.task).toMatchObject({
      status: "cancelled",
    })
  })

  it("tells no more events than the window, until they are acknowledged", async () => {
    const host = await open({ window: 2 })
    await host.request("enqueue", { calls: [allowed("echo 1; echo 2 >&2", { callId: "c" })] })
    await host.event("Started")
    const { params } = await host.event("Delta")
    // Two are told. Whatever is asked now is answered, and no third one comes in between.
    const isActive = async () => {
      const { result } = await host.request("inspect")
      return (result as { calls: ReadonlyArray<unknown> }).calls.length > 0
    }
    while (await isActive());
    expect(host.tags).toEqual(["Started", "Delta"])
    host.notify("ack", { seq: params!.seq })
    await host.event("Completed", "c")
  })

  // Thousands of questions and answers of two processes: on a busy machine each waits for its turn.
  it("costs no memory, however slowly it is read", { timeout: 600_000 }, async () => {
    const host = await open({ window: 4 })
    const peak = async () =>
      Number(/VmHWM:\s+(\d+) kB/.exec(await readFile(`/proc/${host.child.pid}/status`, "utf8"))![1]) / 1024
    const megabytes = 1000
    const command = `head -c ${megabytes}000000 /dev/zero | tr '\\0' x`
    await host.request("enqueue", { calls: [allowed(command, { callId: "c" })] })
    await host.event("Delta", "c")
    const before = await peak()
    let told = 0
    for (let isOver = false; !isOver; ) {
      // It could print hundreds of megabytes meanwhile.
      await host.request("inspect")
      for (const { params } of host.messages.splice(0)) {
        if (params === undefined) continue
        told += String(params.event.content).length
        isOver ||= params.event._tag === "Completed"
        host.notify("ack", { seq: params.seq })
      }
    }
    expect(told).toBeGreaterThan(megabytes * 1e6)
    expect((await peak()) - before).toBeLessThan(megabytes / 3)
  })

  it("has stdout for the protocol alone: what tools print goes to stderr", async () => {
    await writeFile(
      path("noisy.mjs"),
      `import { execFileSync, spawnSync } from "node:child_process"
       import { writeSync } from "node:fs"
       const print = (where) => {
         console.log("log " + where)
         process.stdout.write("write " + where + "\\n")
         writeSync(1, "sync " + where + "\\n")
         spawnSync("echo", ["child " + where], { stdio: "inherit" })
       }
       print("load")
       export default () => ({
         name: "noisy", label: "Noisy", description: "Prints.", parameters: { type: "object", properties: {} },
         async execute() { print("call"); return { content: [{ type: "text", text: "done" }] } },
       })`,
    )
    const host = await open({}, "--tool-path", path("noisy.mjs"))
    await host.request("enqueue", { calls: [{ name: "noisy", decision: "approve" }] })
    expect((await host.event("Completed")).params?.event.content).toBe("done")
    await host.request("shutdown")
    expect(await host.ended()).toBe(0)
    for (const way of ["log", "write", "sync", "child"]) {
      for (const where of ["load", "call"]) expect(host.stderr).toContain(`${way} ${where}`)
    }
  })
})

describe("serve ends", () => {
  const cleaning = "trap 'echo cleaned >&9; exit' TERM; setsid sh -c 'echo ready; exec sleep 600' & wait"

  const slowClock = "const now = performance.now.bind(performance); performance.now = () => now() / 1000"
  /** The half second that commands have to end themselves lasts for as long as they take on a busy machine. */
  const patient = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(slowClock)}` }

  const running = async (): Promise<{ host: ServeProcess; allEnded: Promise<string> }> => {
    const { command, allEnded } = holding(cleaning)
    const host = await initialized(serveIn(patient))
    await host.request("enqueue", { calls: [allowed(command, { callId: "c" })] })
    await host.event("Delta", "c")
    return { host, allEnded }
  }

  it("at the end of its input, with all cleaned up and told", async () => {
    const { host, allEnded } = await running()
    host.child.stdin.end()
    expect(await host.ended()).toBe(0)
    expect(host.tags.at(-1)).toBe("Cancelled")
    expect(await allEnded).toBe("cleaned\n")
  })

  it("at a SIGTERM", async () => {
    const { host, allEnded } = await running()
    host.child.kill("SIGTERM")
    expect(await host.ended()).toBe(143)
    expect(host.tags.at(-1)).toBe("Cancelled")
    expect(await allEnded).toBe("cleaned\n")
  })

  it("when it is told to, and answers when all is over", async () => {
    const { host, allEnded } = await running()
    const id = host.send("shutdown")
    expect(await host.ended()).toBe(0)
    expect(host.messages.at(-1)).toEqual({ jsonrpc: "2.0", id, result: {} })
    expect(host.tags.at(-1)).toBe("Cancelled")
    expect(await allEnded).toBe("cleaned\n")
  })

  it("when nobody reads what it tells any more", async () => {
    const { host, allEnded } = await running()
    host.child.stdout.destroy()
    host.send("inspect")
    expect(await allEnded).toBe("cleaned\n")
  })

  it("and leaves no child when it is killed", async () => {
    const { command, allEnded } = holding("setsid sleep 600 & echo ready; sleep 600")
    const host = await open()
    await host.request("enqueue", { calls: [allowed(command)] })
    await host.event("Delta")
    host.child.kill("SIGKILL")
    expect(await allEnded).toBe("")
  })

  it("before it was initialized", async () => {
    const host = serve()
    host.child.stdin.end()
    expect(await host.ended()).toBe(0)
  })

  it("though its client stopped reading, once all is cleaned up", async () => {
    const { host, allEnded } = await running()
    host.child.stdout.pause()
    // More than pipes hold.
    for (let i = 0; i < 50; i++) host.send("tools/list")
    host.child.stdin.end()
    expect(await once(host.child, "exit")).toEqual([0, null])
    expect(await allEnded).toBe("cleaned\n")
    expect(await host.ended()).toBe(0)
    expect(host.messages.at(-1)?.id).toBeLessThan(52)
  })
})
