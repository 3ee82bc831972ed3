import { expect, it } from "vitest"
import { loadSources } from "./load-sources.ts"

it("passes data from one extension to the others, from the loading on", async () => {
  const { entries } = await loadSources([
    `pi.events.on("news", (data) => pi.appendEntry("heard", data))`,
    `pi.events.emit("news", { n: 1 }); pi.appendEntry("emitted"); pi.events.emit("other", 2)`,
  ])
  expect(entries).toEqual([
    ["heard", { n: 1 }],
    ["emitted", undefined],
  ])
})

it("stops when a listener takes itself off", async () => {
  const { entries } = await loadSources([
    `const off = pi.events.on("news", (data) => { pi.appendEntry("heard", data); off() })
     pi.events.emit("news", 1); pi.events.emit("news", 2)`,
  ])
  expect(entries).toEqual([["heard", 1]])
})

it("logs a listener that fails and tells the others, whatever the channel is called", async () => {
  const { runner, entries, errors, warnings } = await loadSources([
    `pi.events.on("error", () => { throw new Error("sync") })
     pi.events.on("error", async () => { throw new Error("async") })
     pi.events.on("error", () => pi.appendEntry("heard"))
     pi.on("turn_end", () => pi.events.emit("error", new Error("data")))`,
  ])
  await runner.emit({ type: "turn_end" })
  expect(errors).toEqual([])
  expect(entries).toEqual([["heard", undefined]])
  expect(warnings).toEqual([
    "A listener on the channel error failed: sync",
    "A listener on the channel error failed: async",
  ])
})
