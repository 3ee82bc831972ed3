import { describe, expect, it } from "vitest"
import {
  type CallFilter,
  type HandlerContext,
  pipeline,
  Step,
  type ToolCallInput,
  ToolExecutor,
  type ToolExecutorOptions,
  ToolFilters,
  type ToolPipeline,
  ToolRegistry,
} from "../../../src/index.ts"
import { executorOf, toolOf } from "../../support/executor-of.ts"

type VerdictOn = HandlerContext["verdictOn"]

/** What a handler behind the gate of a call to `here` is told of calls to other places. The host approves. */
const verdictsOn = async (
  places: ReadonlyArray<unknown>,
  options: ToolExecutorOptions = {},
  call: Partial<ToolCallInput> = {},
  plan: (ask: (context: HandlerContext) => Step) => ToolPipeline = (ask) =>
    pipeline().awaitApproval().andThen(ask),
): Promise<ReadonlyArray<ReturnType<VerdictOn>>> => {
  let verdicts: ReadonlyArray<ReturnType<VerdictOn>> = []
  const go = toolOf(
    "go",
    plan(({ verdictOn }) => {
      verdicts = places.map((to) => verdictOn({ to }))
      return Step.Continue
    }),
    { primaryParam: "to" },
  )
  const { status } = await executorOf({ go }, options).run(
    { name: "go", params: { to: "here" }, ...call },
    (event) => event._tag === "AwaitingApproval" && event.approve(),
  )
  expect(status).toBe("complete")
  return verdicts
}

const filters = (allow: ReadonlyArray<string> = []) =>
  ToolFilters.compile({ go: { allow: [...allow], deny: ["^evil$"] } })

describe("what the rules say of a call had it other parameters", () => {
  it("is nothing against it where there are no rules", async () => {
    expect(await verdictsOn(["there", undefined])).toEqual(["run", "run"])
  })

  it("is that it is asked, where a rule approved this call and none approves that one", async () => {
    expect(await verdictsOn(["here", "there", "evil"], { filters: filters(["^here$"]) })).toEqual([
      "run",
      "ask",
      "deny",
    ])
  })

  it.each<[string, ToolExecutorOptions, Partial<ToolCallInput>]>([
    ["a person", { filters: filters() }, {}],
    ["its own decision", { filters: filters() }, { decision: "approve" }],
    ["a reviewer", { filters: filters(), reviewers: [() => ({ verdict: "approve" })] }, {}],
  ])(
    "is nothing against it where %s approved this call, unless a rule denies it",
    async (_, options, call) => {
      expect(await verdictsOn(["there", "evil", 1], options, call)).toEqual(["run", "deny", "run"])
    },
  )

  it("is nothing against it where there is no gate, unless a rule denies it", async () => {
    const verdicts = await verdictsOn(["there", "evil"], { filters: filters(["^here$"]) }, {}, (ask) =>
      pipeline().andThen(ask),
    )
    expect(verdicts).toEqual(["run", "deny"])
  })

  it("follows the last gate, for a function that was taken before it too", async () => {
    const seen: Array<string> = []
    const go = toolOf(
      "go",
      pipeline().andThen(async function* ({ verdictOn }) {
        seen.push(verdictOn({ to: "there" }))
        yield Step.AwaitApproval()
        seen.push(verdictOn({ to: "there" }))
      }),
      { primaryParam: "to" },
    )
    await executorOf({ go }, { filters: filters(["^here$"]) }).run({ name: "go", params: { to: "here" } })
    expect(seen).toEqual(["run", "ask"])
  })

  it("is said of the tool that staged what a call of resolve applies", async () => {
    const seen: Array<string> = []
    const go = toolOf(
      "go",
      pipeline()
        .awaitResolve({ label: "Go" })
        .andThen(({ verdictOn }) => {
          seen.push(verdictOn({ to: "evil" }), verdictOn({ to: "there" }))
          return Step.Continue
        }),
      { primaryParam: "to" },
    )
    const executor = executorOf({ go }, { filters: filters() })
    await executor.run({ name: "go", params: { to: "here" } })
    await executor.agent().resolve({ action: "apply", reason: "good" })
    expect(seen).toEqual(["deny", "run"])
  })

  /** Approves the call to `here` alone, and answers for others like that. */
  const filterOf = (answer: () => unknown): CallFilter => ({
    evaluate: (_, params) =>
      (params as { to: string }).to === "here" ? "approve" : (answer() as "approve" | "deny" | undefined),
  })
  const failing = () => {
    throw new Error("broken")
  }

  it.each<[string, () => unknown, string]>([
    ["throws", failing, "deny"],
    ["answers with a promise", () => Promise.resolve("approve"), "deny"],
    ["gives what cannot be meant", () => "maybe", "ask"],
    ["says nothing", () => undefined, "ask"],
  ])("is never that it runs where a filter %s", async (_, answer, verdict) => {
    expect(await verdictsOn(["there"], { filters: filterOf(answer) })).toEqual([verdict])
  })

  it.each<[string, () => unknown, string]>([
    ["throws", failing, "deny"],
    ["gives what cannot be meant", () => "maybe", "ask"],
  ])("is never that it runs where a filter %s, whoever approved the call", async (_, answer, verdict) => {
    const filter = filterOf(answer)
    const asking: CallFilter = {
      evaluate: (tool, params) => {
        const said = filter.evaluate(tool, params)
        return said === "approve" ? undefined : said
      },
    }
    expect(await verdictsOn(["there"], { filters: asking })).toEqual([verdict])
  })

  it("is that it is asked where a rule approved this call and the explanation of that one throws", async () => {
    const filter: CallFilter = {
      evaluate: () => "approve",
      explain: (_, params) =>
        (params as { to: string }).to === "here" ? { verdict: "approve", because: "Here." } : failing(),
    }
    expect(await verdictsOn(["there"], { filters: filter })).toEqual(["ask"])
  })

  it("is that it is asked where the tool is there no more", async () => {
    const seen: Array<string> = []
    const registry = new ToolRegistry([
      toolOf(
        "go",
        pipeline()
          .awaitApproval()
          .andThen(({ verdictOn }) => {
            registry.unregister("go")
            seen.push(verdictOn({ to: "here" }))
            return Step.Continue
          }),
        { primaryParam: "to" },
      ),
    ])
    await using executor = new ToolExecutor(registry, { filters: filters(["^here$"]) })
    await executor.run({ name: "go", params: { to: "here" } })
    expect(seen).toEqual(["ask"])
  })
})
