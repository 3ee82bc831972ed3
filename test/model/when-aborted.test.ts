import { getEventListeners } from "node:events"
import { expect, it } from "vitest"
import { whenAborted } from "../../src/model/when-aborted.ts"

it("tells all, in their order, by one listener of the signal", () => {
  const controller = new AbortController()
  const { signal } = controller
  const told: Array<number> = []
  for (let i = 0; i < 20; i++) whenAborted(signal, () => told.push(i))
  expect(getEventListeners(signal, "abort")).toHaveLength(1)
  controller.abort()
  expect(told).toEqual(Array.from({ length: 20 }, (_, i) => i))
  expect(getEventListeners(signal, "abort")).toEqual([])
})

it("tells nobody who has let go, though the same function is given twice", () => {
  const controller = new AbortController()
  const { signal } = controller
  let told = 0
  const act = () => {
    told += 1
  }
  const release = whenAborted(signal, act)
  whenAborted(signal, act)
  release()
  release()
  controller.abort()
  expect(told).toBe(1)
})

it("leaves nothing with a signal that all have let go of, and begins again", () => {
  const controller = new AbortController()
  const { signal } = controller
  const releases = [whenAborted(signal, () => {}), whenAborted(signal, () => {})]
  for (const release of releases) release()
  expect(getEventListeners(signal, "abort")).toEqual([])
  let told = false
  whenAborted(signal, () => {
    told = true
  })
  controller.abort()
  expect(told).toBe(true)
})

it("does not tell who is let go of while others are told", () => {
  const controller = new AbortController()
  const told: Array<string> = []
  whenAborted(controller.signal, () => {
    told.push("first")
    release()
  })
  const release = whenAborted(controller.signal, () => told.push("second"))
  whenAborted(controller.signal, () => told.push("third"))
  controller.abort()
  expect(told).toEqual(["first", "third"])
})
