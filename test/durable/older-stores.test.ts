// @module-tag waits
/** A store that an earlier release wrote goes on: its process was killed in the middle of these calls. */
import { copyFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { expect, it, onTestFinished } from "vitest"
import { openDurableExecutor } from "../../src/durable/index.ts"
import type { ToolEvent } from "../../src/index.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { keptTools } from "./fixtures/kept-tools.ts"

const path = useTempFolder()

const kept = (release: string) => fileURLToPath(new URL(`./fixtures/${release}.db`, import.meta.url))

it.each(["0.2.0"])("of %s opens, and each of its calls ends as it would have ended then", async (release) => {
  await copyFile(kept(release), path("calls.db"))
  const client = await openDurableExecutor({ store: path("calls.db"), runner: false })
  const items = await client.inbox()
  await client.close()
  expect(items.map(({ callId, kind }) => `${callId}: ${kind}`)).toEqual([
    "gate: approval",
    "held: start",
    "effect: effect",
    "midway: effect",
    "apply: approval",
  ])
  const durable = await openDurableExecutor({
    store: path("calls.db"),
    registry: keptTools(false),
    retention: Number.POSITIVE_INFINITY,
    taskTtl: Number.POSITIVE_INFINITY,
  })
  onTestFinished(() => durable.close())
  const { executor } = durable
  expect(executor.tasks.get("finished")).toMatchObject({ status: "complete", content: "ended finished" })
  expect(executor.agent("staged").pendingActions.list()).toMatchObject([{ label: "Change staged" }])
  expect(executor.agent("applying").pendingActions.list()).toEqual([])
  expect(executor.approve("held")).toBe(true)
  executor.enqueue([
    { callId: "discard", agentId: "staged", name: "resolve", params: { action: "discard", reason: "no" } },
  ])
  const events: Array<ToolEvent> = []
  const ends = new Map<string, string>()
  for await (const event of executor.events) {
    events.push(event)
    if (event._tag === "AwaitingApproval") event.approve({ reason: `for ${event.callId}` })
    else if (event._tag === "Delegate") event.succeed("sunny")
    else if ("content" in event && event._tag !== "Delta") ends.set(event.callId, event.content)
    else if (event._tag === "BackgroundCompleted") ends.set(event.callId, event.status)
    if (ends.size === 12) break
  }
  expect(Object.fromEntries(ends)).toEqual({
    gate: "gate: for gate",
    behind: "behind: for behind",
    last: "worked",
    held: "worked",
    effect: "It is sunny",
    midway: "asked",
    running: "worked",
    once: "Interrupted: the process ended while charge ran. It may have run, wholly or in part: look before you call it again.",
    edited: "done with other",
    background: "complete",
    apply: "changed applying",
    discard: "Discarded: Change staged. Reason: no",
  })
  // A gate is asked again with its preview, and what was emitted before the process died is not emitted again.
  const gate = events.find(({ _tag, agentId }) => _tag === "AwaitingApproval" && agentId === "gate")
  expect(gate).toMatchObject({
    label: "Go on?",
    person: true,
    preview: { content: [{ text: "preview of gate" }] },
  })
  const started = events.flatMap((event) => (event._tag === "Started" ? [event.callId] : []))
  expect(started.sort()).toEqual(["behind", "discard", "held", "last"])
})
