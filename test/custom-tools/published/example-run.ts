/** How a test uses one published example, and shows that it works. */
import { expect, type TestContext } from "vitest"
import type { ExampleAgent, ExampleAgentOptions } from "./example-agent.ts"
import type { SampleRepository } from "./sample-repository.ts"

/** Starts an agent with the example, in the repository. */
export type Start = (
  options?: Pick<ExampleAgentOptions, "session" | "user" | "flags"> & {
    /** Whether to load pi's `minimal-mode` as well, which has all the tools for files and for bash. */
    readonly fileTools?: boolean
  },
) => Promise<ExampleAgent>

export type ExampleRun = (start: Start, repository: SampleRepository, test: TestContext) => Promise<void>

/** `folder/name` to what is done with it. */
type ExampleRuns = Readonly<Record<string, ExampleRun>>

export interface PackageRuns {
  /** Of examples that have tools. */
  readonly tools: ExampleRuns
  /** Of examples that have none. */
  readonly hooks: ExampleRuns
  /** Examples that have tools and are not run, and why. */
  readonly leftOut: ReadonlyMap<string, string>
}

export const down = "\u001b[B"
export const enter = "\r"
export const escape = "\u001b"

/** A list of todos, and an agent that goes on where another one stopped. */
export const todoRun: ExampleRun = async (start) => {
  const first = await start()
  expect(await first.text("todo", { action: "list" })).toBe("No todos")
  expect(await first.text("todo", { action: "add", text: "Buy milk" })).toBe("Added todo #1: Buy milk")
  expect(await first.text("todo", { action: "add", text: "Drink it" })).toBe("Added todo #2: Drink it")
  // A model may write a number as a text.
  expect(await first.text("todo", { action: "toggle", id: "1" })).toBe("Todo #1 completed")
  const list = "[x] #1: Buy milk\n[ ] #2: Drink it"
  expect(await first.text("todo", { action: "list" })).toBe(list)
  const wrong = await first.run("todo", { action: "burn" })
  expect(wrong.isError).toBe(true)
  expect(wrong.content).toContain('Validation failed for tool "todo":')

  const second = await start({ session: first.session })
  expect(await second.text("todo", { action: "list" })).toBe(list)
  expect(await second.text("todo", { action: "clear" })).toBe("Cleared 2 todos")
  const third = await start({ session: second.session })
  expect(await third.text("todo", { action: "list" })).toBe("No todos")
}

/** Asks the host to load its extensions anew, the way a user would. */
export const reloadRun: ExampleRun = async (start) => {
  const agent = await start()
  expect(await agent.text("reload_runtime")).toBe("Queued /reload-runtime as a follow-up command.")
  expect(agent.record.userMessages).toEqual(["/reload-runtime"])
}

export const helloRun: ExampleRun = async (start) => {
  const { content, output } = await (await start()).run("hello", { name: "Ada" })
  expect([content, output.details]).toEqual(["Hello, Ada!", { greeted: "Ada" }])
}
