import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { BoundedPattern, Matching } from "../../src/policy/bounded-pattern.ts"
import { ToolFilters } from "../../src/policy/index.ts"

const shell = { name: "shell", primaryParam: "command", primaryKind: "command" } as const
const search = { name: "search", primaryParam: "query", primaryKind: "text" } as const

const explain = (allow: ReadonlyArray<string>, deny: ReadonlyArray<string>, command: string) =>
  ToolFilters.compile({ shell: { allow, deny } }).explain(shell, { command })

/** Nothing in it ends as the pattern does, which is found out after minutes. */
const pipes = `ls ${"curl\\|".repeat(3_000)}`

describe("a pattern that takes for ever", () => {
  it("that denies makes the call a question", () => {
    expect(explain(["^ls\\b"], ["curl.*\\|.*ps"], pipes)).toEqual({
      verdict: "ask",
      because: "The pattern `curl.*\\|.*ps` takes too long to match this call.",
    })
  })

  it("that allows makes the call a question", () => {
    expect(explain(["^ls( x+)+x*(x|x)*$"], [], `ls ${"x".repeat(60)}y`).verdict).toBe("ask")
    const filters = ToolFilters.compile({ search: { allow: ["^(a+)+$"] } })
    expect(filters.evaluate(search, { query: `${"a".repeat(60)}b` })).toBeUndefined()
  })

  it("keeps no other rule from denying", () => {
    const { verdict, rule } = explain(["^ls\\b"], ["curl.*\\|.*ps", "^ls .*l\\|$"], pipes)
    expect([verdict, rule]).toEqual(["deny", "^ls .*l\\|$"])
    expect(explain(["^ls\\b"], ["^(a+)+$", "rl"], pipes)).toMatchObject({ verdict: "deny", rule: "rl" })
  })

  it("leaves time for the next one that may", () => {
    // More than a call has: what is asked here is who gets how much of it.
    const matching = new Matching(2_000)
    const text = pipes.replaceAll("\\", "")
    expect(matching.match(new BoundedPattern("curl.*\\|.*ps"), text)).toBeUndefined()
    expect(matching.match(new BoundedPattern("^ls .*(l\\|)+$"), text)).toMatchObject({ end: text.length })
    expect([...matching.slow]).toEqual(["curl.*\\|.*ps"])
  })

  it("that denies a path or a text denies: there may be nobody to ask", () => {
    const read = { name: "search", primaryParam: "query", primaryKind: "path" } as const
    const filters = ToolFilters.compile({ search: { deny: ["^(a+)+$"] } }, { cwd: "/" })
    for (const tool of [search, read]) {
      expect(filters.explain(tool, { query: `${"a".repeat(60)}b` })).toEqual({
        verdict: "deny",
        rule: "^(a+)+$",
        because: "The deny pattern `^(a+)+$` takes too long to match this call.",
      })
    }
  })

  it("does not keep a file that is found from being left out", () => {
    const filters = ToolFilters.compile({ grep: { deny: ["(a+)+$"] } }, { cwd: "/p" })
    expect(filters.deniesPath("grep", `${"a".repeat(60)}b`)).toBe(true)
    expect(filters.deniesPath("grep", "b")).toBe(false)
  })
})

it("patterns that only look slow still match long texts", () => {
  const matching = new Matching(60_000)
  const text = `a${"-".repeat(20_000)}b${"-".repeat(20_000)}c`
  for (const [pattern, long] of [
    ["a.*b.*c", text],
    ["(x|y)+z", `${text}xyxz`],
  ] as const) {
    const regex = new BoundedPattern(pattern)
    expect(regex.isCheap(long.length)).toBe(false)
    expect(matching.match(regex, long)).toMatchObject({ end: long.length })
  }
  expect(matching.slow.size).toBe(0)
})

describe("a match that is broken off while other processes have the cores", () => {
  const text = "b".repeat(60)
  beforeEach(() => {
    // Other threads of this process may have them too.
    vi.spyOn(process, "cpuUsage").mockReturnValue({ user: 0, system: 0 })
  })
  afterEach(() => vi.restoreAllMocks())

  /** Does nothing for longer than it may take, so many times. */
  class HeldUp extends BoundedPattern {
    begun = 0
    readonly times: number
    constructor(times: number) {
      super("(a+)+$")
      this.times = times
    }
    override match(text: string) {
      this.begun++
      if (this.begun <= this.times) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000)
      return super.match(`${text}a`)
    }
  }

  it("is begun again", () => {
    const matching = new Matching(200)
    const pattern = new HeldUp(2)
    expect(matching.match(pattern, text)).toMatchObject({ end: 61 })
    expect(pattern.begun).toBeGreaterThan(2)
    expect(matching.slow.size).toBe(0)
  })

  it("is given up where that does not end", () => {
    const matching = new Matching(20)
    const pattern = new HeldUp(Number.POSITIVE_INFINITY)
    expect(matching.match(pattern, text)).toBeUndefined()
    // On a busy machine the time of a try may be over before it begins.
    expect(pattern.begun).toBeLessThanOrEqual(10)
    expect([...matching.slow]).toEqual(["(a+)+$"])
  })
})
