import { expect, it, onTestFinished, vi } from "vitest"
import type { AnyCustomTool } from "../../../src/custom-tools/custom-tool.ts"
import { tellSession } from "../../../src/custom-tools/extensions/tell-session.ts"
import type { SessionEvent } from "../../../src/custom-tools/index.ts"
import { loadSources, recordingLogger } from "./load-sources.ts"

const statefulTool = (name: string, onSession: AnyCustomTool["onSession"]) => ({
  resolvedPath: `/tools/${name}.js`,
  tool: {
    name,
    description: "d",
    parameters: { type: "object" },
    execute: () => ({ content: [] }),
    ...(onSession && { onSession }),
  } as AnyCustomTool,
})

it("awaits the tools in order, whichever words the event comes in", async () => {
  const heard: Array<[string, SessionEvent]> = []
  const tools = [
    statefulTool("a", async (event) => {
      await null
      heard.push(["a", event])
    }),
    statefulTool("stateless", undefined),
    statefulTool("b", (event) => {
      heard.push(["b", event])
    }),
  ]
  await tellSession(tools, { reason: "tree" })
  await tellSession(tools, { type: "session_start", reason: "startup" })
  await tellSession(tools, { type: "turn_end" })
  expect(heard).toEqual([
    ["a", { reason: "tree" }],
    ["b", { reason: "tree" }],
    ["a", { reason: "start" }],
    ["b", { reason: "start" }],
  ])
})

it.each([
  [null, "Expected an event to be an object, got `null` (null)"],
  ["start", "Expected an event to be an object, got `start` (string)"],
  [{}, "Expected an event to have a `type`, or a `reason` of a session event, got `undefined` (undefined)"],
  [{ type: 5 }, "Expected the `type` of an event to be a string, got `5` (number)"],
  [
    { reason: "nope" },
    "Expected an event to have a `type`, or a `reason` of a session event, got `nope` (string)",
  ],
  [
    { reason: "toString" },
    "Expected an event to have a `type`, or a `reason` of a session event, got `toString` (string)",
  ],
])("tells nobody of what is no event, but its caller: %j", async (event, message) => {
  const heard: Array<unknown> = []
  const tool = statefulTool("a", (each) => {
    heard.push(each)
  })
  const meant = event as unknown as SessionEvent
  await expect(tellSession([tool], meant)).rejects.toThrow(new TypeError(message))
  const { runner } = await loadSources([`pi.on("nope", () => pi.appendEntry("heard"))`])
  await expect(runner.emit(meant)).rejects.toThrow(new TypeError(message))
  expect(heard).toEqual([])
})

it("keeps `this` and gives a context of the host", async () => {
  const seen: Array<unknown> = []
  const { tool, resolvedPath } = statefulTool("a", function (this: AnyCustomTool, _event, ctx) {
    seen.push(this.name, ctx.cwd)
  })
  await tellSession([{ tool, resolvedPath }], { reason: "start" }, { cwd: "/work" })
  expect(seen).toEqual(["a", "/work"])
})

it("logs what a tool throws and goes on", async () => {
  const logger = recordingLogger()
  let told = false
  const tools = [
    statefulTool("bad", () => {
      throw new Error("no state")
    }),
    statefulTool("exiting", () => process.exit(3)),
    statefulTool("good", () => {
      told = true
    }),
  ]
  await tellSession(tools, { reason: "shutdown" }, { logger })
  expect(told).toBe(true)
  expect(logger.warnings).toEqual([
    "onSession of bad failed at shutdown: no state",
    expect.stringMatching(/^onSession of exiting failed at shutdown: .*exit/),
  ])
})

it("gives up waiting for a tool that does not settle in ten seconds", async () => {
  vi.useFakeTimers()
  onTestFinished(() => {
    vi.useRealTimers()
  })
  const logger = recordingLogger()
  const told = tellSession(
    [statefulTool("stuck", () => new Promise(() => undefined))],
    { reason: "start" },
    { logger },
  )
  await vi.advanceTimersByTimeAsync(10_000)
  await told
  expect(logger.warnings).toEqual([
    "onSession of stuck failed at start: it did not settle within 10 s, and is no longer waited for",
  ])
})
