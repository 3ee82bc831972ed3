// @module-tag waits
/** `stepline inbox` and the effects that no host of the calls carries out. */
import Libsql from "libsql"
import { beforeEach, expect, it } from "vitest"
import { pipeline, Step } from "../../src/index.ts"
import { durableOf, untilTag } from "../durable/durable-of.ts"
import { PseudoTerminal } from "../hosts/terminal/pseudo-terminal.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { never } from "../support/deferred.ts"
import { type CommandResult, runNode, useCli } from "./built-cli.ts"

const path = useTempFolder()
const cli = useCli()

const inboxArgs = (...args: ReadonlyArray<string>) => [cli.path, "inbox", "--store", "calls.db", ...args]
const inbox = async (...args: ReadonlyArray<string>): Promise<CommandResult> => {
  const result = await runNode(inboxArgs(...args), { cwd: path() })
  return { ...result, stderr: result.stderr.replace(late, "") }
}
/** Said of an answer that takes two seconds, as on a busy machine. */
const late =
  /^stepline: the answers? to .+ (?:is|are) stored, and waits? for a process that runs these calls\. Ctrl-C leaves it there\.\n/gm

const plans = {
  deploy: pipeline().andThen(() =>
    Step.Delegate({ _tag: "Deploy", place: "test", copies: 2 }, { timeout: "1 hour" }),
  ),
  gate: pipeline().awaitApproval(),
  move: pipeline()
    .andThen(() => Step.Output("a.txt -> b.txt"))
    .awaitApproval(),
  drop: pipeline().awaitApproval({ approvers: (by) => by !== "eve", quorum: 2 }),
  stuck: pipeline().andThen(() => never()),
  twice: pipeline()
    .andThen(() => Step.Delegate({ _tag: "Deploy" }, { timeout: "1 hour" }))
    .andThen(() => Step.Delegate({ _tag: "Publish" }, { timeout: "1 hour" })),
}

/** Calls that stand at their questions. */
const openStore = async () => {
  const durable = await durableOf(path("calls.db"), plans)
  await durable.enqueue([
    { callId: "one", name: "deploy", params: {} },
    { callId: "two", name: "deploy", params: {}, agentId: "other" },
    { callId: "three", name: "gate", params: {}, agentId: "third" },
  ])
  const asking = new Set<string>()
  while (asking.size < 3) {
    const event = await durable.executor.next()
    if (event === undefined) throw new Error("The questions did not come")
    if (event._tag === "Delegate" || event._tag === "AwaitingApproval") asking.add(event.callId)
  }
  return durable
}
let durable: Awaited<ReturnType<typeof openStore>>

beforeEach(async () => {
  durable = await openStore()
})

const ends: ReadonlySet<string> = new Set([
  "Completed",
  "Error",
  "Denied",
  "Cancelled",
  "BackgroundCompleted",
])

/** The last event of a call. */
const endOf = async (callId: string) => {
  for await (const event of durable.events())
    if (ends.has(event._tag) && "callId" in event && event.callId === callId) return event
  throw new Error(`${callId} did not end`)
}

it("lists an effect with what it is given", async () => {
  expect((await inbox()).stdout).toBe(
    [
      'one of main: deploy {} waits for Deploy {"place":"test","copies":2}\n',
      'two of other: deploy {} waits for Deploy {"place":"test","copies":2}\n',
      "three of third: gate {} waits for an approval\n  There is no rule for the tool `gate`.\n",
    ].join(""),
  )
})

it("answers an effect with a value, and refuses one", async () => {
  const { stdout, status } = await inbox("--respond", "one", "--value", '{"ok":true}', "--refuse", "two")
  expect(stdout).toBe("one is answered.\ntwo is refused.\n")
  expect(status).toBe(0)
  expect(await endOf("one")).toMatchObject({
    _tag: "Completed",
    output: { structured: { ok: true } },
    content: '{"ok":true}',
  })
  expect(await endOf("two")).toMatchObject({ _tag: "Error", content: "Refused by the user" })
})

it("answers with nothing without a terminal and a value, and refuses with a reason", async () => {
  const { stdout } = await inbox("--respond", "one", "--refuse", "two", "--reason", "not today")
  expect(stdout).toBe("one is answered.\ntwo is refused.\n")
  expect(await endOf("one")).toMatchObject({ _tag: "Completed", content: "" })
  expect(await endOf("two")).toMatchObject({ _tag: "Error", content: "not today" })
})

it("says what a call waits for that is answered in the wrong way", async () => {
  expect(await inbox("--approve", "one")).toMatchObject({
    status: 1,
    stderr:
      'stepline: one waits for Deploy {"place":"test","copies":2}: answer it with --respond or --refuse.\n',
  })
  expect(await inbox("--respond", "three")).toMatchObject({
    status: 1,
    stderr: "stepline: three waits for an approval: answer it with --approve or --deny.\n",
  })
})

it("says what has become of a call that waits for no answer any more", async () => {
  await durable.deny("three")
  await durable.respond("one", { error: "not today" })
  await durable.respond("two", {})
  await durable.enqueue([{ callId: "four", name: "stuck", agentId: "fourth" }])
  await durable.cancel("four")
  await durable.enqueue([{ callId: "five", name: "stuck", background: true }])
  await untilTag(durable, "BackgroundStarted")
  await durable.cancel("five")
  for (const callId of ["one", "two", "three", "four", "five"]) await endOf(callId)
  const told = async (...args: ReadonlyArray<string>) => {
    const { stderr, status } = await inbox(...args)
    expect(status).toBe(1)
    return stderr
  }
  const ended = (call: string, how: string) =>
    `stepline: ${call} ended before this answer, which changes nothing: ${how}.\n`
  expect(await told("--approve", "three")).toBe(ended("three", "it was denied"))
  expect(await told("--deny", "one")).toBe(ended("one", "it failed"))
  expect(await told("--respond", "two")).toBe(ended("two", "it completed"))
  expect(await told("--refuse", "four")).toBe(ended("four", "it was cancelled"))
  expect(await told("--approve", "five")).toBe(ended("five", "it was cancelled"))
})

it("says at once what has become of a call while no process runs the calls", async () => {
  await durable.deny("three")
  await endOf("three")
  await durable.close()
  for (const answer of ["--approve", "--deny"]) {
    expect(await inbox(answer, "three")).toMatchObject({
      status: 1,
      stderr: "stepline: three ended before this answer, which changes nothing: it was denied.\n",
    })
  }
})

it("stores no answer for a call that the store does not know, and names the one that is meant", async () => {
  await durable.close()
  for (const [answer, id] of [
    ["--approve", "thre"],
    ["--deny", "thre"],
    ["--respond", "thre"],
    ["--approve", "else"],
  ] as const) {
    const near = id === "thre" ? " Did you mean `three`?" : ""
    expect(await inbox(answer, id)).toMatchObject({
      status: 1,
      stderr: `stepline: ${id} waits for no answer now. Either somebody answered first and it goes on, or the store has no call of this id: without --approve and the like, this command lists what waits.${near}\n`,
    })
  }
  const database = new Libsql(path("calls.db"))
  expect(database.prepare("SELECT * FROM requests").all()).toEqual([])
  database.close()
})

it("says what it knows of a call that goes on without an answer, or is unknown", async () => {
  await durable.enqueue([{ callId: "four", name: "stuck", agentId: "fourth" }])
  for (const id of ["four", "five"]) {
    expect(await inbox("--approve", id)).toMatchObject({
      status: 1,
      stderr: `stepline: ${id} waits for no answer now. Either somebody answered first and it goes on, or the store has no call of this id: without --approve and the like, this command lists what waits.\n`,
    })
  }
})

it("does not give an answer to the question that came after the one that it was typed for", async () => {
  await durable.enqueue([{ callId: "four", name: "twice", agentId: "fourth" }])
  await untilTag(durable, "Delegate")
  await using terminal = new PseudoTerminal(inboxArgs("--respond", "four"), { cwd: path(), columns: 200 })
  await terminal.see("Answer, as JSON")
  await durable.respond("four", {})
  await untilTag(durable, "Delegate")
  terminal.type('"done"\r')
  await terminal.see(
    "four waits for Publish now, which came after what this answer was for: look at it, and answer again.",
  )
  expect(await terminal.exited).toBe(1)
  expect((await durable.inbox()).map(({ callId }) => callId)).toContain("four")
})

it("refuses a value that is no JSON or for nothing, and two answers to one call", async () => {
  expect(await inbox("--respond", "one", "--value", "yes")).toMatchObject({
    status: 2,
    stderr: "stepline: --value yes: That is not JSON: put texts in quotes. For a shell: --value '\"text\"'\n",
  })
  expect(await inbox("--value", "1")).toMatchObject({
    status: 2,
    stderr: "stepline: --value is what --respond CALL answers with: give both\n",
  })
  expect(await inbox("--respond", "one", "--refuse", "one")).toMatchObject({
    status: 2,
    stderr: "stepline: one can be answered or refused, not both\n",
  })
})

it("shows the effect at a terminal, and asks again for what is no JSON", async () => {
  await using terminal = new PseudoTerminal(inboxArgs("--respond", "one", "--respond", "two"), {
    cwd: path(),
    columns: 120,
  })
  await terminal.see('one of main: deploy {} waits for Deploy {"place":"test","copies":2}')
  await terminal.see("Answer, as JSON")
  terminal.type("done\r")
  await terminal.see("That is not JSON: put texts in quotes.")
  terminal.type('"done"\r')
  await terminal.see("one is answered.")
  await terminal.see(/two of other[\s\S]*Answer, as JSON/)
  terminal.type("n there is no place\r")
  await terminal.see("two is refused.")
  expect(await terminal.exited).toBe(0)
  expect(await endOf("one")).toMatchObject({ _tag: "Completed", content: "done" })
  expect(await endOf("two")).toMatchObject({ _tag: "Error", content: "there is no place" })
})

it("leaves an effect that is given no answer at a terminal", async () => {
  await using terminal = new PseudoTerminal(inboxArgs("--respond", "one"), { cwd: path(), columns: 120 })
  await terminal.see("Answer, as JSON")
  terminal.type("\u0004")
  await terminal.see("one was given no answer, and goes on waiting.")
  expect(await terminal.exited).toBe(1)
  expect((await durable.inbox()).map(({ callId }) => callId)).toContain("one")
})

it("lists calls that wait together with their previews, and approves a chosen part", async () => {
  const calls = ["a", "b", "c"].map((callId) => ({ callId, name: "move", params: {}, background: true }))
  await durable.enqueue(calls)
  await expect.poll(async () => (await durable.inbox()).length).toBe(6)
  const { stdout } = await inbox()
  expect(stdout).toContain(
    "3 calls of move by main wait together: --approve those that may run, or --deny them, with a --reason.\n" +
      "a of main: move {} waits for an approval\n  There is no rule for the tool `move`.\n  │ a.txt -> b.txt\n" +
      "b of main: move {} waits for an approval\n",
  )
  const answered = await inbox(
    "--as",
    "ann",
    "--approve",
    "a",
    "--approve",
    "c",
    "--deny",
    "b",
    "--reason",
    "No",
  )
  expect(answered).toMatchObject({ stdout: "a is approved.\nc is approved.\nb is denied.\n", status: 0 })
  expect(await endOf("c")).toMatchObject({ status: "complete", decidedBy: { kind: "user", id: "ann" } })
  expect(await endOf("b")).toMatchObject({ _tag: "Denied", decidedBy: { id: "ann", reason: "No" } })
})

it("answers under a name, and says why an answer does not count", async () => {
  await durable.enqueue([{ callId: "d", name: "drop", params: {}, agentId: "fourth" }])
  await expect.poll(async () => (await durable.inbox()).length).toBe(4)
  expect((await inbox()).stdout).toContain(
    "d of fourth: drop {} waits for an approval\n  approvals: 0 of 2\n",
  )
  expect(await inbox("--as", "eve", "--approve", "d")).toMatchObject({
    stderr: 'stepline: eve may not answer "d".\n',
    status: 1,
  })
  expect(await inbox("--as", "ann", "--approve", "d")).toMatchObject({
    stdout: "d: your approval counts. It has 1 of 2 approvals.\n",
    status: 0,
  })
  expect((await inbox()).stdout).toContain("\n  approvals: 1 of 2, by ann\n")
  expect((await inbox("--as", "bob", "--approve", "d")).stdout).toBe("d is approved.\n")
  expect(await endOf("d")).toMatchObject({ decidedBy: { approvedBy: ["ann", "bob"] } })
  expect(await inbox("--as", " ", "--approve", "d")).toMatchObject({
    stderr: "stepline: --as: give the name of who answers\n",
    status: 2,
  })
})
