import { createHash, generateKeyPairSync } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  type Decision,
  DecisionLog,
  pipeline,
  Step,
  ToolExecutor,
  ToolFilters,
  type ToolPipeline,
  verifyDecisionLog,
} from "../../src/index.ts"
import { ScriptedHost } from "../../src/testing.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { registryOf, toolOf } from "../support/executor-of.ts"

const path = useTempFolder()

const decision: Decision = {
  at: 0,
  agentId: "main",
  callId: "c",
  name: "shell",
  params: { b: 1, a: [{ d: 1, c: 2 }] },
  verdict: "approve",
  by: { kind: "rule", rule: "^ls", source: "--allow", command: "ls", reason: "It matches." },
}

const logged = (...decisions: ReadonlyArray<Decision>): string => {
  using log = DecisionLog.open(path("log/decisions.jsonl"))
  for (const each of decisions) log.add(each)
  return readFileSync(path("log/decisions.jsonl"), "utf8")
}

describe("a decision log", () => {
  it("holds a line for each decision, and of the parameters only a hash", () => {
    const { lines, problems } = verifyDecisionLog(logged(decision))
    expect(problems).toEqual([])
    expect(lines).toEqual([
      {
        time: "1970-01-01T00:00:00.000Z",
        call: "c",
        agent: "main",
        tool: "shell",
        params: expect.stringMatching(/^[0-9a-f]{64}$/),
        verdict: "approve",
        by: "rule",
        rule: "^ls",
        source: "--allow",
        command: "ls",
        reason: "It matches.",
        before: "0".repeat(64),
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ])
    const nested = verifyDecisionLog(logged({ ...decision, callId: "c/1", parentId: "c" }))
    expect(nested.problems).toEqual([])
    expect(nested.lines.at(-1)).toMatchObject({ call: "c/1", within: "c" })
    const reordered = verifyDecisionLog(logged({ ...decision, params: { a: [{ c: 2, d: 1 }], b: 1 } }))
    expect(reordered.lines[2]?.params).toBe(lines[0]?.params)
  })

  it("goes on where it was left", () => {
    logged(decision, decision)
    const text = logged({ ...decision, verdict: "run" })
    const { lines, problems, last } = verifyDecisionLog(text)
    expect(problems).toEqual([])
    expect(lines.map(({ before }) => before).slice(1)).toEqual(lines.map(({ hash }) => hash).slice(0, 2))
    expect(last).toBe(lines[2]?.hash)
  })

  it.each<readonly [string, (rows: Array<string>) => Array<string>, string]>([
    [
      "changed",
      (rows) => rows.with(1, rows[1]!.replace("approve", "deny")),
      "Line 2 was changed after it was written.",
    ],
    [
      "the last, changed",
      (rows) => rows.with(2, rows[2]!.replace('"tool":"shell"', '"tool":"other"')),
      "Line 3 was changed after it was written.",
    ],
    ["taken out", (rows) => rows.toSpliced(1, 1), "Line 2 does not follow the line before it."],
    ["put in twice", (rows) => rows.toSpliced(1, 0, rows[0]!), "Line 2 does not follow the line before it."],
    ["no JSON", (rows) => rows.with(0, "x"), "Line 1 is no decision."],
    ["half a line", (rows) => rows.with(3, '{"time"'), "The last line is not whole."],
  ])("shows a line that is %s, and is not gone on with", (_, tamper, problem) => {
    const rows = logged(decision, decision, decision).split("\n")
    const text = tamper(rows).join("\n")
    expect(verifyDecisionLog(text).problems).toContain(problem)
    writeFileSync(path("log/decisions.jsonl"), text)
    expect(() => DecisionLog.open(path("log/decisions.jsonl"))).toThrow("Move it away to begin another.")
  })

  it("replays the rules: one that does not match what it decided on is told", () => {
    const by = { ...decision.by!, command: "rm" }
    expect(verifyDecisionLog(logged({ ...decision, by })).problems).toEqual([
      "Line 1: The rule `^ls` does not match `rm`.",
    ])
  })
})

const plan = (parts: ReadonlyArray<string>): ToolPipeline =>
  parts.reduce((built: ToolPipeline, part) => {
    if (part === "gate") return built.awaitApproval()
    if (part === "fails") return built.andThen(() => Step.Error("no"))
    return built.andThen(() => Promise.resolve(Step.Continue))
  }, pipeline())

const call = fc.record({
  agentId: fc.constantFrom("a", "b"),
  name: fc.constantFrom("tool", "tool", "tool", "nobody"),
  params: fc.constantFrom<unknown>({ text: "ok" }, { text: "never" }, { text: "x" }, { text: 1 }, {}),
  decision: fc.constantFrom("pending" as const, "approve" as const, "deny" as const),
  background: fc.boolean(),
})

it("names who decided every call of a random run, by which rule and from where, as its events do", async () => {
  let runs = 0
  let byRules = 0
  const property = fc.asyncProperty(
    fc.array(fc.constantFrom("gate", "handler", "fails"), { maxLength: 3 }),
    fc.array(call, { minLength: 1, maxLength: 8 }),
    fc.infiniteStream(fc.constantFrom("approve" as const, "deny" as const, "cancel" as const)),
    async (parts, calls, answers) => {
      runs += 1
      const file = path(`run-${runs}.jsonl`)
      using log = DecisionLog.open(file)
      const tool = toolOf("tool", plan(parts), {
        parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
        primaryParam: "text",
      })
      const rules = { tool: { allow: ["^ok$"], deny: ["^never$"] } }
      const filters = ToolFilters.compile(rules, { source: "rules.toml" })
      await using executor = new ToolExecutor(registryOf({ tool }), { filters, onDecision: log.add })
      const paramsOf = (callId: string) => calls[Number(callId.slice(1))]!.params
      const host = new ScriptedHost(executor, {
        gate: ({ callId }) => {
          const { value } = answers.next()
          if (value !== "cancel") return value
          executor.cancelCall(callId)
          return "ignore"
        },
      })
      await host.run(calls.map((each, index) => ({ ...each, callId: `c${index}` })))
      const { lines, problems } = verifyDecisionLog(readFileSync(file, "utf8"))
      expect(problems).toEqual([])
      for (const line of lines.filter(({ by }) => by === "rule")) {
        byRules += 1
        const { verdict, rule, source, command } = filters.explain(tool, paramsOf(line.call))
        expect(line).toMatchObject({ rule, source, command })
        expect([rule, source]).toEqual([verdict === "deny" ? "^never$" : "^ok$", "rules.toml"])
        // A call that a rule let past its gates may run, or be cancelled.
        if (line.verdict === "deny" || verdict === "deny") expect(line.verdict).toBe(verdict)
      }
      const ends = lines.filter(({ verdict }) => verdict !== "approve")
      expect(ends.map((line) => line.call).sort()).toEqual(calls.map((_, index) => `c${index}`).sort())
      for (const { call: id, verdict, by, rule, source } of ends) {
        const event = host.events.find(
          (each) =>
            "callId" in each &&
            each.callId === id &&
            ["Completed", "Error", "Denied", "Cancelled", "BackgroundCompleted"].includes(each._tag),
        )
        const status = event?._tag === "BackgroundCompleted" ? event.status : event?._tag.toLowerCase()
        const expected = { run: /^complete|error/, invalid: /error/, deny: /denied/, cancel: /cancelled/ }
        expect(status).toMatch(expected[verdict as keyof typeof expected])
        const decidedBy = event !== undefined && "decidedBy" in event ? event.decidedBy : undefined
        expect({ kind: by, rule, source }).toEqual({
          kind: decidedBy?.kind,
          rule: decidedBy?.rule,
          source: decidedBy?.source,
        })
        if (parts.includes("gate") && verdict === "run" && status !== "error") expect(by).toBeDefined()
        if (verdict === "deny" || verdict === "cancel") expect(by).toBeDefined()
      }
    },
  )
  await fc.assert(property, { numRuns: 150 })
  expect(byRules).toBeGreaterThan(20)
})

describe("a signed decision log", () => {
  const madeKey = (name: string, kind: "ed25519" | "x25519" = "ed25519") => {
    const { privateKey, publicKey } =
      kind === "ed25519" ? generateKeyPairSync("ed25519") : generateKeyPairSync("x25519")
    writeFileSync(path(`${name}.pem`), privateKey.export({ type: "pkcs8", format: "pem" }))
    writeFileSync(path(`${name}-public.pem`), publicKey.export({ type: "spki", format: "pem" }))
    return { key: path(`${name}.pem`), check: { key: path(`${name}-public.pem`) } }
  }
  const by = { kind: "user", id: "ann" } as const
  const signed = (key: string, count: number): ReadonlyArray<string> => {
    using log = DecisionLog.open(path("signed.jsonl"), { key })
    for (let each = 0; each < count; each++) log.add({ ...decision, callId: `c${each}`, by })
    return readFileSync(path("signed.jsonl"), "utf8").trimEnd().split("\n")
  }
  const textOf = (rows: ReadonlyArray<string>) => rows.map((row) => `${row}\n`).join("")
  /** The chain as somebody writes it anew who has no key. */
  const rechained = (rows: ReadonlyArray<string>): string => {
    let before = "0".repeat(64)
    const anew = rows.map((row) => {
      const { hash: _, signature, ...line } = JSON.parse(row)
      const rest = { ...line, before }
      before = createHash("sha256").update(JSON.stringify(rest)).digest("hex")
      return JSON.stringify({ ...rest, hash: before, signature })
    })
    return textOf(anew)
  }

  it("holds who decided, and is verified with the public key alone", () => {
    const { key, check } = madeKey("one")
    const rows = signed(key, 2)
    const { lines, problems } = verifyDecisionLog(textOf(signed(key, 1)), check)
    expect([lines.length, problems]).toEqual([3, []])
    expect(lines[0]).toMatchObject({ by: "user", id: "ann", signature: expect.any(String) })
    expect(textOf(rows).split("\n")[0]).toBe(rows[0])
    const other = madeKey("other")
    expect(verifyDecisionLog(textOf(rows), other.check).problems[0]).toBe(
      "Line 1 is not signed with this key.",
    )
    const { signature: _, ...bare } = JSON.parse(rows[0]!)
    expect(verifyDecisionLog(textOf([JSON.stringify(bare)]), check).problems).toEqual([
      "Line 1 is not signed.",
    ])
  })

  it("names the line that was changed, removed, put elsewhere or added, though the hashes fit", () => {
    const { key, check } = madeKey("one")
    const rows = signed(key, 4)
    const changed = rows.with(1, rows[1]!.replace('"id":"ann"', '"id":"bob"'))
    const first = (text: string) => verifyDecisionLog(text, check).problems[0]
    expect(first(textOf(changed))).toBe("Line 2 was changed after it was written.")
    expect(first(rechained(changed))).toBe("Line 2 is not signed with this key.")
    expect(first(textOf(rows.toSpliced(1, 1)))).toBe("Line 2 does not follow the line before it.")
    expect(first(rechained(rows.toSpliced(1, 1)))).toBe("Line 2 is not signed with this key.")
    expect(first(textOf(rows.slice(1)))).toBe("Line 1 does not follow the line before it.")
    expect(first(textOf([rows[0]!, rows[2]!, rows[1]!, rows[3]!]))).toBe(
      "Line 2 does not follow the line before it.",
    )
    expect(first(textOf(rows.toSpliced(2, 0, rows[1]!)))).toBe("Line 3 does not follow the line before it.")
    // What no signature shows.
    expect(verifyDecisionLog(textOf(rows.slice(0, 2)), check).problems).toEqual([])
  })

  it("is not gone on with otherwise than it began", () => {
    const { key } = madeKey("one")
    signed(key, 1)
    const file = path("signed.jsonl")
    expect(() => DecisionLog.open(file)).toThrow(
      `${file}: its lines are signed. Give the key, or move it away to begin another.`,
    )
    expect(() => DecisionLog.open(file, { kye: key } as never)).toThrow(TypeError)
    expect(() => DecisionLog.open(file, { key: madeKey("other").key })).toThrow(
      `${file}: Line 1 is not signed with this key. Move it away to begin another.`,
    )
  })

  it("says which key is needed, and how it is made", () => {
    const wrong = madeKey("wrong", "x25519")
    const { key, check } = madeKey("one")
    for (const file of [wrong.key, check.key])
      expect(() => DecisionLog.open(path("l"), { key: file })).toThrow(
        `${file} holds no private Ed25519 key as PEM, without a passphrase. Make one: openssl genpkey -algorithm ed25519 -out ${file}`,
      )
    expect(() => verifyDecisionLog("", wrong.check)).toThrow(/holds no public Ed25519 key/)
    expect(() => verifyDecisionLog("", { key: path("none.pem") })).toThrow(
      `The key ${path("none.pem")} cannot be read: ENOENT`,
    )
    // A private key holds its public one.
    expect(verifyDecisionLog(textOf(signed(key, 1)), { key }).problems).toEqual([])
  })
})
