// @module-tag waits
import fc from "fast-check"
import { expect, it } from "vitest"
import { runCodeTool } from "../../src/code/index.ts"
import { pipeline, Step, type ToolEvent, ToolFilters } from "../../src/index.ts"
import { durableOf } from "../durable/durable-of.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { executorOf, toolOf } from "../support/executor-of.ts"

const path = useTempFolder()

const numbers = fc.nat({ max: 9 }).map(String)

/** Statements over `tools` and `log`, at most this deep. */
const { statement } = fc.letrec<{ statement: string; block: string; number: string; call: string }>(
  (tie) => ({
    number: fc.oneof(numbers, fc.constantFrom("log.length", "Math.floor(Math.random() * 10)")),
    call: fc
      .tuple(fc.constantFrom("echo", "gated", "fails"), tie("number"))
      .map(([name, n]) => `tools.${name}({ n: ${n} })`),
    block: fc.array(tie("statement"), { minLength: 1, maxLength: 3 }).map((lines) => lines.join("\n")),
    statement: fc.oneof(
      { maxDepth: 3, depthSize: "small" },
      tie("call").map((call) => `log.push(await ${call})`),
      fc
        .tuple(tie("number"), tie("block"), tie("block"))
        .map(
          ([n, yes, no]) => `if ((await tools.echo({ n: ${n} })) % 2 === 0) {\n${yes}\n} else {\n${no}\n}`,
        ),
      fc
        .tuple(fc.nat({ max: 3 }), tie("block"))
        .map(([n, body]) => `for (let i = 0; i < ${n}; i++) {\n${body}\n}`),
      tie("block").map(
        (body) => `try {\n${body}\n} catch (error) { log.push(error.name + ": " + error.message) }`,
      ),
      fc
        .array(tie("call"), { minLength: 1, maxLength: 4 })
        .map(
          (calls) =>
            `log.push((await Promise.allSettled([${calls}])).map(({ value, reason }) => value ?? reason.message))`,
        ),
    ),
  }),
)

const programs = fc
  .array(statement, { minLength: 1, maxLength: 4 })
  .map((lines) => `const log = []\n${lines.join("\n")}\nreturn log`)

interface Outcome {
  readonly calls: ReadonlyArray<string>
  /** JSON, or the message of what was thrown. */
  readonly result: string
}

const isDenied = (n: number) => n % 3 === 0

/** What the tools do, without an executor. */
const direct = async (source: string, random: () => number): Promise<Outcome> => {
  const calls: Array<string> = []
  const failed = (name: string, message: string) => Object.assign(new Error(message), { name })
  const tool = (name: string, act: (n: number) => unknown) => async (params: { n: number }) => {
    calls.push(`${name} ${JSON.stringify(params)}`)
    return act(params.n)
  }
  const tools = {
    echo: tool("echo", (n) => n),
    gated: tool("gated", (n) => {
      if (isDenied(n)) throw failed("ToolDenied", `not ${n}`)
      return `did ${n}`
    }),
    fails: tool("fails", (n) => {
      throw failed("ToolFailed", `failed ${n}`)
    }),
  }
  const AsyncFunction = (async () => {}).constructor as new (
    ...names: Array<string>
  ) => (...given: Array<unknown>) => Promise<unknown>
  const math = Object.create(Math, { random: { value: random } })
  try {
    const result = await new AsyncFunction("tools", "Math", source)(tools, math)
    return { calls, result: JSON.stringify(result) }
  } catch (error) {
    return { calls, result: `${(error as Error).name}: ${(error as Error).message}` }
  }
}

const plans = {
  echo: toolOf("echo", ({ n }) => pipeline().andThen(() => Step.Output({ content: [], structured: n }))),
  gated: toolOf("gated", ({ n }) =>
    pipeline()
      .awaitApproval()
      .andThen(() => Step.Output(`did ${n}`)),
  ),
  fails: toolOf("fails", ({ n }) => pipeline().andThen(() => Step.Error(`failed ${n}`))),
  run_code: runCodeTool({ tools: ["echo", "gated", "fails"] }),
}

const filters = () => ToolFilters.compile({ run_code: { allow: [".*"] } })

const answer = (event: ToolEvent): void => {
  if (event._tag !== "AwaitingApproval") return
  const { n } = event.params as { n: number }
  if (isDenied(n)) event.deny(`not ${n}`)
  else event.approve()
}

/** The chance of a run is that of its call: the programs here take none from elsewhere. */
const withoutChance = (source: string) => source.replaceAll("Math.random()", "0.7")

it("a program makes the calls that it makes without an executor, in their order, and has its result", async () => {
  const property = fc.asyncProperty(programs.map(withoutChance), async (source) => {
    const expected = await direct(source, () => 0.7)
    const executor = executorOf(plans, { filters: filters() })
    const calls = new Map<string, string>()
    executor.watch({
      queued: ({ callId, name, params, parentId }) => {
        if (parentId !== undefined) calls.set(callId, `${name} ${JSON.stringify(params)}`)
      },
    })
    const { content } = await executor.run({ callId: "c", name: "run_code", params: { source } }, answer)
    await executor.shutdown()
    expect([...calls.keys()]).toEqual(expected.calls.map((_, index) => `c/${index + 1}`))
    expect([...calls.values()]).toEqual(expected.calls)
    expect(content).toBe(expected.result)
  })
  await fc.assert(property, { numRuns: 150 })
}, 600_000)

it("a program whose process ends again and again makes the same calls, each once, and has the same result", async () => {
  let count = 0
  let processes = 0
  const property = fc.asyncProperty(
    programs,
    fc.infiniteStream(fc.integer({ min: 1, max: 8 })),
    async (source, lives) => {
      const store = path(`${count++}.db`)
      const started: Array<string> = []
      let result: string | undefined
      for (let isFirst = true; result === undefined; isFirst = false) {
        const durable = await durableOf(store, plans, { filters: filters(), maxAttempts: 1000 })
        processes += 1
        if (isFirst) await durable.enqueue([{ callId: "c", name: "run_code", params: { source } }])
        let left = lives.next().value as number
        for await (const event of durable.executor.events) {
          answer(event)
          if (event._tag === "Started") started.push(event.callId)
          if ("content" in event && event._tag !== "Delta" && event.callId === "c") result = event.content
          left -= 1
          if (left <= 0 || result !== undefined) break
        }
        await durable.close()
      }
      const calls = started.filter((callId) => callId !== "c")
      expect(new Set(calls).size, "no call starts twice").toBe(calls.length)
      expect(result).not.toContain("Diverged")
      if (!source.includes("Math.random()")) expect(result).toBe((await direct(source, () => 0)).result)
    },
  )
  await fc.assert(property, { numRuns: 25 })
  expect(processes).toBeGreaterThan(40)
}, 900_000)
