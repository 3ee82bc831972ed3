// @module-tag waits
/** Calls that wait together, as one list of which a part is chosen. */
import { expect, test } from "vitest"
import { readChoice } from "../../../src/hosts/terminal/choose-calls.ts"
import { pipeline, Step, ToolExecutor } from "../../../src/index.ts"
import { registryOf } from "../../support/executor-of.ts"
import { SessionTerminal } from "./session-terminal.ts"

const move = (params: Record<string, unknown>) =>
  pipeline()
    .andThen(() => Step.Output(`would move ${params.from}`))
    .awaitApproval()
    .andThen(() => Step.Output(`moved ${params.from}`))
const other = () => pipeline().awaitApproval()
const twice = () => pipeline().awaitApproval({ label: "The first" }).awaitApproval({ label: "The second" })

const open = () => {
  const executor = new ToolExecutor(registryOf({ move, other, twice }))
  const terminal = new SessionTerminal({ executor, by: "ann" }, { rows: 40 })
  const call = (callId: string, name = "move") => ({
    callId,
    name,
    params: { from: `${callId}.txt` },
    background: true,
  })
  return { executor, terminal, call }
}

/** Enter decides only what has been on the screen. */
const choose = async (terminal: SessionTerminal, typed: string, shown = typed): Promise<void> => {
  terminal.type(typed)
  await terminal.see(`› ${shown}`)
  terminal.type("\r")
}

test("the list shows each with its preview, and takes a part: what comes later is not in it", async () => {
  const { executor, terminal, call } = open()
  await using _ = terminal
  const ends: Array<unknown> = []
  executor.watch({ decided: ({ callId, verdict, by }) => ends.push([callId, verdict, by?.id]) })
  executor.enqueue([call("a"), call("x", "other"), call("b"), call("c"), call("d")])
  await terminal.see("4 more to decide after this; [l]ist")
  terminal.type("l")
  await terminal.see(
    /1\. \? \[bg\] move\(a\.txt\)\n│ would move a\.txt\n2\. [\s\S]*4\. \? \[bg\] move\(d\.txt\)\n│ would move d\.txt\n[\s\S]*Which of the 4 calls above\?/,
  )
  executor.enqueue([call("e")])
  await choose(terminal, "1 5")
  await terminal.see("There is no 5 in this list: type numbers from 1 to 4.")
  terminal.type("\u007f")
  await choose(terminal, "3-4", "1 3-4")
  await expect.poll(() => ends.filter((end) => String(end).includes("run")).length).toBe(3)
  expect(ends.filter((end) => String(end).includes("approve"))).toEqual([
    ["a", "approve", "ann"],
    ["c", "approve", "ann"],
    ["d", "approve", "ann"],
  ])
  await terminal.see(/\? \[bg\] other/)
  expect(executor.inspect().map(({ callId }) => callId)).toEqual(["x", "b", "e"])
})

test("what was listed is answered, and not what its call asks by then", async () => {
  const { executor, terminal, call } = open()
  await using _ = terminal
  executor.enqueue([call("b", "twice"), call("a", "twice")])
  await terminal.see("1 more to decide after this; [l]ist")
  terminal.type("l")
  await terminal.see("Which of the 2 calls above?")
  const labels: Array<unknown> = []
  executor.watch({ event: (event) => event._tag === "AwaitingApproval" && labels.push(event.label) })
  executor.approve("a")
  await expect.poll(() => labels).toContain("The second")
  await choose(terminal, "all")
  await terminal.see('"a" does not ask this question any more: look at what it asks now.')
  expect(executor.inspectCall("a")?.state).toBe("waiting")
})

test("the list denies, and Esc decides nothing", async () => {
  const { executor, terminal, call } = open()
  await using _ = terminal
  executor.enqueue([call("a"), call("b"), call("c")])
  await terminal.see("2 more to decide after this; [l]ist")
  terminal.type("l")
  await terminal.see("Which of the 3 calls above?")
  terminal.type("\u001b")
  await terminal.missing("Which of the 3 calls above?")
  expect(executor.inspect()).toHaveLength(3)
  terminal.type("l")
  await terminal.see("Which of the 3 calls above?")
  const reasons: Array<unknown> = []
  executor.watch({
    decided: ({ callId, verdict, by }) => verdict === "deny" && reasons.push([callId, by?.reason]),
  })
  await choose(terminal, "n 2-3: too many: wait")
  await expect.poll(() => executor.inspect().map(({ callId }) => callId)).toEqual(["a"])
  expect(reasons).toEqual([
    ["b", "too many: wait"],
    ["c", "too many: wait"],
  ])
  await terminal.missing("[l]ist")
})

test("numbers are read as they are meant, or not at all", () => {
  const places = (line: string) => readChoice(line, 9)
  expect(places("1, 3-5 3")).toEqual({ isDenial: false, places: [0, 2, 3, 4] })
  expect(places("no ALL")).toEqual({ isDenial: true, places: [0, 1, 2, 3, 4, 5, 6, 7, 8] })
  expect(readChoice("n 2: ", 9)).toEqual({ isDenial: true, places: [1] })
  for (const line of ["1: why", "0", "10", "3-2", "1-", "-1", "x", "yes 1", "n1", "1.5"])
    expect(places(line)).toMatch(/^There is no .* in this list: type numbers from 1 to 9\.$/)
  for (const line of ["", "n", " no "])
    expect(places(line)).toBe("Type the numbers of calls, such as 1 3-5, or all.")
})
