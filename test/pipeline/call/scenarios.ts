/** What is explored: every pipeline of up to four parts alone, and calls that meet in lanes, in the pool and over actions. */

import type { Scenario } from "./explore.ts"
import type { CallSpec, Shape } from "./explored-call.ts"

export type Scenarios = ReadonlyArray<Scenario>

const letters = ["p", "d", "g", "r", "f"]

const longer = (shapes: ReadonlyArray<Shape>): ReadonlyArray<Shape> =>
  shapes.flatMap((shape) => letters.map((letter) => shape + letter))

/** Every pipeline of one to `length` parts. */
const shapesUpTo = (length: number): ReadonlyArray<Shape> => {
  const all: Array<Shape> = []
  let last: ReadonlyArray<Shape> = [""]
  for (let i = 0; i < length; i++) {
    last = longer(last)
    all.push(...last)
  }
  return all
}

const alone = (shape: Shape, background: boolean, deviations: number): Scenario => ({
  name: `${background ? "background " : ""}${shape}`,
  calls: [{ agent: "a", shape, background }],
  places: 1,
  deviations,
})

/** Every pipeline of up to four parts, in the foreground and in the background. */
export const everyPipeline: Scenarios = shapesUpTo(4).flatMap((shape) => {
  const deviations = shape.length < 4 ? 2 : 1
  return [alone(shape, false, deviations), alone(shape, true, deviations)]
})

/** Fewer, further off the ordinary way. */
export const farAstray: Scenarios = ["pf", "gf", "df", "rf", "pgf", "pgp", "dgf", "grpf", "Gf"].flatMap(
  (shape) => [alone(shape, false, 3), alone(shape, true, 3)],
)

const a = (shape: Shape, more: Partial<CallSpec> = {}): CallSpec => ({ agent: "a", shape, ...more })
const b = (shape: Shape, more: Partial<CallSpec> = {}): CallSpec => ({ agent: "b", shape, ...more })
const inBackground = { background: true }
const apply = { resolves: "apply" } as const
const discard = { resolves: "discard" } as const

const together = (
  name: string,
  deviations: number,
  calls: ReadonlyArray<CallSpec>,
  places = 1,
): Scenario => ({ name, calls, places, deviations })

/** Calls that meet. */
export const meetings: Scenarios = [
  together("two agents and a background call", 1, [a("pgf"), b("df"), b("gf", inBackground)]),
  together("two agents, one with two calls", 1, [a("gf"), a("p"), b("dgf")]),
  together("two agents", 2, [a("pgf"), b("dpf")]),
  together("two background calls and one place", 2, [a("pgf", inBackground), b("dp", inBackground)]),
  together(
    "three background calls and two places",
    1,
    [a("df", inBackground), a("dp", inBackground), b("gp", inBackground)],
    2,
  ),
  together("a lane of three", 2, [a("pf"), a("g"), a("df")]),
  together("a lane that is decided beforehand", 2, [
    a("gf", { decision: "requested" }),
    a("p", { decision: "deny" }),
    a("pg", { decision: "approve" }),
    a("g", { decision: "requested" }),
  ]),
  together("gates that only a person passes", 2, [
    a("gGpf", { decision: "approve" }),
    a("pGg", { decision: "approve", background: true }),
  ]),
  together("apply", 2, [a("prpf"), a("", apply)]),
  together("apply and discard at once", 1, [a("prpf"), a("", apply), a("", { ...discard, outside: true })]),
  together("an action that stages another", 2, [a("prprf"), a("", apply), a("", apply)]),
  together("a gate behind a preview", 2, [a("rgdf"), a("", apply)]),
  together("two actions", 2, [a("rpf"), a("rdf"), a("", apply), a("", discard)]),
  together("a background action", 2, [a("rdf", inBackground), a("", { ...apply, outside: true })]),
]

/** Few and small, but with all that a call can meet: a mistake in the machine shows in one of them. */
export const forMutants: Scenarios = [
  ...["pf", "ppff", "gf", "df", "ggf", "pgf"].flatMap((shape) => [
    alone(shape, false, 2),
    alone(shape, true, 2),
  ]),
  alone("pgp", true, 3),
  together("apply an action", 1, [a("prpf"), a("", apply)]),
  together("a lane of two", 1, [a("pf"), a("g")]),
  together("a person's gate", 1, [a("pGpg", { decision: "approve" })]),
  together("a place for two", 1, [a("dp", inBackground), b("gp", inBackground)]),
]

/** For docs/call-machine.md. */
export const forPage: Scenarios = [
  ...forMutants,
  together("a lane that is decided beforehand", 1, [
    a("gf", { decision: "requested" }),
    a("p", { decision: "deny" }),
  ]),
  together("too many actions", 1, [a("r"), a("r"), a("r"), a("r")]),
  together("a clear", 2, [a("rpf"), a("", apply)]),
]
