import { expect, it } from "vitest"
import { Transcript } from "../../../src/pipeline/events/transcript.ts"
import { maxOutputBytes } from "../../../src/text/truncation.ts"

it("a transcript is read on from where a read before ended, also once its start was cut", () => {
  const transcript = new Transcript()
  transcript.append("a".repeat(2 * maxOutputBytes + 1))
  const { end } = transcript.since(0)
  expect(end).toBe(2 * maxOutputBytes + 1)
  transcript.append("new")
  expect(transcript.since(end)).toEqual({ text: "new", end: end + 3 })
})
