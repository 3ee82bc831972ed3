// @module-tag waits
import fc from "fast-check"
import { expect, it } from "vitest"
import { runCodeTool } from "../../src/code/index.ts"
import { handler, pipeline, Step, type ToolEvent, ToolFilters } from "../../src/index.ts"
import { durableOf } from "../durable/durable-of.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { deferred } from "../support/deferred.ts"
import { executorOf, toolOf } from "../support/executor-of.ts"

/** How many programs run whole, are cancelled, and lose their processes. */
const given = process.env.CODE_RUNS
const [programsRun, programsCancelled, programsEnded] = [40, 20, 20].map((count) =>
  Number(given ?? count),
) as [number, number, number]

const path = useTempFolder()

const numbers = fc.nat({ max: 9 }).map(String)

/** Statements over `tools` and `log`, at most this deep. */
const { statement } = fc.letrec<{ statement: string; block: string; number: string; call: string }>(
  (tie) => ({
    number: fc.oneof(numbers, fc.constantFrom("log.length", "Math.floor(Math.random() * 10)")),
    call: fc
      .tuple(fc.constantFrom("echo", "gated", "fails", "outer"), tie("number"))
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

type Answer = "approve" | "deny" | "edit" | "cancel"

/** What is answered about each number. */
const answersOf = fc.array(fc.constantFrom<Answer>("approve", "approve", "deny", "edit", "cancel"), {
  minLength: 10,
  maxLength: 10,
})

type Answers = ReadonlyArray<Answer>

const answerOf = (answers: Answers, n: number): Answer => answers[n % 10]!

const edited = (n: number) => n + 100

interface Outcome {
  /** By their ids, in order. */
  readonly calls: ReadonlyArray<string>
  /** What was done behind gates. */
  readonly effects: ReadonlyArray<string>
  /** JSON, or the message of what was thrown. */
  readonly result: string
}

const callText = (callId: string, name: string, params: unknown) =>
  `${callId} ${name} ${JSON.stringify(params)}`

const sorted = (texts: Iterable<string>) =>
  [...texts].sort((a, b) => a.localeCompare(b, "en", { numeric: true }))

/** What the tools do, without an executor. */
const direct = async (source: string, answers: Answers, random: () => number): Promise<Outcome> => {
  const calls: Array<string> = []
  const effects: Array<string> = []
  let made = 0
  const failed = (name: string, message: string) => Object.assign(new Error(message), { name })
  /** Its text, or how it ended else. */
  const gated = (n: number): { text: string; status: Answer } => {
    const status = answerOf(answers, n)
    if (status === "cancel")
      return { status, text: "stop\nNothing was changed: the call was waiting for approval." }
    if (status === "deny") return { status, text: `not ${n}` }
    const text = `did ${status === "edit" ? edited(n) : n}`
    effects.push(text)
    return { status, text }
  }
  const { promise: cancelled, reject: cancel } = deferred<never>()
  const tool =
    (name: string, act: (n: number, callId: string) => unknown) => async (params: { n: number }) => {
      made += 1
      calls.push(callText(`c/${made}`, name, params))
      return act(params.n, `c/${made}`)
    }
  const tools = {
    echo: tool("echo", (n) => n),
    gated: tool("gated", (n) => {
      const { status, text } = gated(n)
      if (status === "deny") throw failed("ToolDenied", text)
      if (status !== "cancel") return text
      cancel(new Error(`The call of "gated" was cancelled, and the run with it: ${text}`))
      return cancelled
    }),
    fails: tool("fails", (n) => {
      throw failed("ToolFailed", `failed ${n}`)
    }),
    outer: tool("outer", (n, callId) => {
      calls.push(callText(`${callId}/1`, "gated", { n }))
      return `outer: ${gated(n).text}`
    }),
  }
  const AsyncFunction = (async () => {}).constructor as new (
    ...names: Array<string>
  ) => (...given: Array<unknown>) => Promise<unknown>
  const math = Object.create(Math, { random: { value: random } })
  const end = (result: string): Outcome => ({ calls, effects: sorted(effects), result })
  try {
    return end(
      JSON.stringify(
        await Promise.race([cancelled, new AsyncFunction("tools", "Math", source)(tools, math)]),
      ),
    )
  } catch (error) {
    const { name, message } = error as Error
    return end(name === "Error" ? message : `${name}: ${message}`)
  }
}

const echo = toolOf("echo", ({ n }) => pipeline().andThen(() => Step.Output({ content: [], structured: n })))
const fails = toolOf("fails", ({ n }) => pipeline().andThen(() => Step.Error(`failed ${n}`)))
const outer = toolOf("outer", ({ n }) =>
  pipeline().andThen(
    handler("outer", async ({ call }) => Step.Output(`outer: ${(await call("gated", { n })).content}`)),
  ),
)

/** `effects`: what was done behind gates, by the keys that its handlers were given. */
const plansOf = (effects: Map<string, string>) => ({
  echo,
  fails,
  outer,
  gated: toolOf("gated", ({ n }) =>
    pipeline()
      .awaitApproval()
      .andThen(
        handler("gated", ({ idempotencyKey }) => {
          effects.set(idempotencyKey, `did ${n}`)
          return Step.Output(`did ${n}`)
        }),
      ),
  ),
  run_code: runCodeTool({ tools: ["echo", "gated", "fails", "outer"] }),
})

const filters = () => ToolFilters.compile({ run_code: { allow: [".*"] } })

type Cancel = (callId: string, reason: string) => unknown

const answer = (event: ToolEvent, answers: Answers, cancel: Cancel): void => {
  if (event._tag !== "AwaitingApproval") return
  const { n } = event.params as { n: number }
  const given = answerOf(answers, n)
  if (given === "deny") event.deny(`not ${n}`)
  else if (given === "cancel") cancel(event.callId, "stop")
  else event.approve(given === "edit" ? { params: { n: edited(n) } } : undefined)
}

const isStopped = ({ result }: Outcome) => result.startsWith("The call of")

/** A cancel may reach a run before its next calls do, which then are not made. */
const expectEffects = (effects: ReadonlyArray<string>, expected: Outcome): void => {
  if (isStopped(expected)) expect(expected.effects).toEqual(expect.arrayContaining([...effects]))
  else expect(effects).toEqual(expected.effects)
}

/** The chance of a run is that of its call: the programs here take none from elsewhere. */
const withoutChance = (source: string) => source.replaceAll("Math.random()", "0.7")

const ends: ReadonlySet<ToolEvent["_tag"]> = new Set(["Completed", "Error", "Denied", "Cancelled"])

/** @param cancelAt The whole run is cancelled at this question. */
const runIn = async (source: string, answers: Answers, cancelAt = 0) => {
  const effects = new Map<string, string>()
  const executor = executorOf(plansOf(effects), { filters: filters() })
  const calls: Array<string> = []
  executor.watch({
    queued: ({ callId, name, params, parentId }) => {
      if (parentId !== undefined) calls.push(callText(callId, name, params))
    },
  })
  let asked = 0
  const ended: Array<string> = []
  const call = { callId: "c", name: "run_code", params: { source } }
  const { content, status } = await executor.run(call, (event) => {
    if (ends.has(event._tag) && "callId" in event) ended.push(event.callId)
    if (event._tag === "AwaitingApproval" && ++asked === cancelAt) executor.cancelCall("c", "enough")
    else answer(event, answers, (callId, reason) => executor.cancelCall(callId, reason))
  })
  await executor.shutdown()
  return { calls, effects: sorted(effects.values()), result: content, status, asked, ended }
}

it("a program makes the calls that it makes without an executor, in their order, and has its result", async () => {
  const property = fc.asyncProperty(programs.map(withoutChance), answersOf, async (source, answers) => {
    const expected = await direct(source, answers, () => 0.7)
    const { calls, effects, result } = await runIn(source, answers)
    expect(result).toBe(expected.result)
    const isTop = (call: string) => /^c\/\d+ /.test(call)
    const [top, expectedTop] = [calls.filter(isTop), expected.calls.filter(isTop)]
    expect(top).toEqual(expectedTop.slice(0, top.length))
    expectEffects(effects, expected)
    if (isStopped(expected)) return
    expect(sorted(calls)).toEqual(sorted(expected.calls))
  })
  await fc.assert(property, { numRuns: programsRun })
}, 3_600_000)

it("a program that is cancelled at a question has made the calls until there, and does nothing more", async () => {
  const gatesOnly = answersOf.map((answers) => answers.map((each) => (each === "cancel" ? "approve" : each)))
  let cancelled = 0
  const property = fc.asyncProperty(
    programs.map(withoutChance),
    gatesOnly,
    fc.integer({ min: 1, max: 4 }),
    async (source, answers, cancelAt) => {
      const expected = await direct(source, answers, () => 0.7)
      const { calls, effects, result, status, asked, ended } = await runIn(source, answers, cancelAt)
      if (asked < cancelAt) return
      cancelled += 1
      expect([status, result]).toEqual(["cancelled", "enough"])
      expect(expected.calls).toEqual(expect.arrayContaining(calls))
      expect(expected.effects).toEqual(expect.arrayContaining(effects))
      expect(effects.length).toBeLessThan(asked)
      const ids = calls.map((call) => call.split(" ")[0]!)
      expect(sorted(ended), "each call has ended, the outer one last").toEqual(sorted(["c", ...ids]))
      expect(ended.at(-1)).toBe("c")
    },
  )
  await fc.assert(property, { numRuns: programsCancelled })
  expect(cancelled).toBeGreaterThan(programsCancelled / 10)
}, 3_600_000)

it("a program whose process ends again and again makes the same calls, each once, and has the same result", async () => {
  let count = 0
  let processes = 0
  const property = fc.asyncProperty(
    programs,
    answersOf,
    fc.infiniteStream(fc.integer({ min: 1, max: 8 })),
    async (source, answers, lives) => {
      const store = path(`${count++}.db`)
      const effects = new Map<string, string>()
      const plans = plansOf(effects)
      const started: Array<string> = []
      let result: string | undefined
      for (let isFirst = true; result === undefined; isFirst = false) {
        const durable = await durableOf(store, plans, { filters: filters(), maxAttempts: 1000 })
        processes += 1
        if (isFirst) await durable.enqueue([{ callId: "c", name: "run_code", params: { source } }])
        let left = lives.next().value as number
        for await (const event of durable.executor.events) {
          answer(event, answers, (callId, reason) => durable.cancel(callId, reason))
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
      if (source.includes("Math.random()")) return
      const expected = await direct(source, answers, () => 0)
      expect(result).toBe(expected.result)
      expectEffects(sorted(effects.values()), expected)
    },
  )
  await fc.assert(property, { numRuns: programsEnded })
  expect(processes).toBeGreaterThan(programsEnded * 1.5)
}, 3_600_000)
