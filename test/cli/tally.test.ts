import { expect, test } from "vitest"
import type { ExpectedEnd } from "../../src/cli/script.ts"
import { Tally } from "../../src/cli/tally.ts"
import type { FinalStatus } from "../../src/index.ts"

type Ending = readonly [expected: FinalStatus, ended: FinalStatus]

test.each<readonly [string, ReadonlyArray<Ending>, number]>([
  ["nothing was called", [], 0],
  ["all calls complete", [["complete", "complete"]], 0],
  ["a call fails", [["complete", "error"]], 1],
  ["a call is cancelled", [["complete", "cancelled"]], 1],
  ["a call is denied", [["complete", "denied"]], 3],
  [
    "one fails and one is denied",
    [
      ["complete", "denied"],
      ["complete", "error"],
    ],
    1,
  ],
  ["a denial was expected", [["denied", "denied"]], 0],
  ["an expected denial does not come", [["denied", "complete"]], 1],
  ["an error was expected, and the call is denied", [["error", "denied"]], 3],
])("the exit status where %s", (_name, endings, status) => {
  const tally = new Tally()
  for (const [index, [expected]] of endings.entries()) tally.expect(String(index), expected)
  for (const [index, [, ended]] of endings.entries()) tally.ended(String(index), ended)
  expect(tally.exitStatus).toBe(status)
})

test.each<readonly [string, ExpectedEnd | undefined, FinalStatus, unknown, number]>([
  ["ends with 0", undefined, "complete", { exitCode: 0 }, 0],
  ["ends with 3", undefined, "complete", { exitCode: 3 }, 1],
  ["is killed", undefined, "complete", { exitCode: null, signal: "SIGKILL" }, 1],
  ["ends with 3, as it should", { exitCode: 3 }, "complete", { exitCode: 3 }, 0],
  ["ends with 0, and should with 3", { exitCode: 3 }, "complete", { exitCode: 0 }, 1],
  ["fails to start, and should end with 3", { exitCode: 3 }, "error", undefined, 1],
  ["is denied, and should end with 3", { exitCode: 3 }, "denied", undefined, 3],
  ["ends with 3, and should only complete", "complete", "complete", { exitCode: 3 }, 1],
  ["is none", undefined, "complete", { diff: "" }, 0],
])("the exit status where a command %s", (_name, expected, status, details, exitStatus) => {
  const tally = new Tally()
  if (expected !== undefined) tally.expect("a", expected)
  tally.ended("a", status, details)
  expect(tally.exitStatus).toBe(exitStatus)
})

test("a preview that is dropped is named, and fails nothing", () => {
  const tally = new Tally()
  const action = {
    _tag: "ActionResolved",
    agentId: "main",
    actionId: "action-1",
    sourceToolName: "edit",
    seq: 1,
    at: 0,
  } as const
  tally.resolved({ ...action, label: "Rename a", outcome: "applied" })
  tally.resolved({ ...action, label: "Rename b", outcome: "discarded" })
  tally.resolved({ ...action, label: "Rename c", outcome: "dropped" })
  expect(tally.dropped).toEqual(["Rename c"])
  expect(tally.exitStatus).toBe(0)
})

test("a call has ended once its end is told", () => {
  const tally = new Tally()
  tally.expect("a", "complete")
  expect(tally.hasEnded("a")).toBe(false)
  tally.ended("a", "complete")
  expect(tally.hasEnded("a")).toBe(true)
})
