/** What a host may do to an executor, at random. */
import fc from "fast-check"
import type { ToolDecision } from "../../src/index.ts"

export const agents = ["a", "b", "c"]

export interface Enqueue {
  readonly agent: number
  readonly tool: number
  readonly decision: ToolDecision
  readonly background: boolean
  readonly run: boolean
}

const enqueue: fc.Arbitrary<Enqueue> = fc.record({
  agent: fc.nat(agents.length - 1),
  tool: fc.nat(9),
  decision: fc.oneof(
    { weight: 6, arbitrary: fc.constant<ToolDecision>("pending") },
    { weight: 1, arbitrary: fc.constantFrom<ToolDecision>("requested", "approve", "deny") },
  ),
  background: fc.oneof({ weight: 2, arbitrary: fc.constant(false) }, fc.constant(true)),
  run: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.constant(true)),
})

const target = fc.nat(20)

export const command = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("enqueue" as const),
      calls: fc.array(enqueue, { minLength: 1, maxLength: 3 }),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant("advance" as const), target }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant("turn" as const) }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant("read" as const), count: fc.integer({ min: 1, max: 8 }) }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("approve" as const), target }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("edit" as const), target, denied: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("deny" as const), target }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("answer" as const), target, yes: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("respond" as const), target, fails: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("cancelCall" as const), target }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("cancel" as const), agent: fc.option(fc.nat(2)) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("soft" as const), agent: fc.option(fc.nat(2)) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("toBackground" as const), target }) },
)

export type Command = typeof command extends fc.Arbitrary<infer T> ? T : never
