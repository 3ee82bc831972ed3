/** What is explored: every pipeline of up to three parts alone, and calls that meet in lanes, in the pool and over actions. */

import type { CallSpec, Shape } from "./explored-call.ts"
import type { Scenario } from "./explored-world.ts"

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

/** The same, while the process may end, and another one go on. */
const restarting = (scenario: Scenario): Scenario => ({ ...scenario, restarts: true })

/** Every pipeline of up to three parts. The longest are in the background alone, where there is more to lose. */
export const everyPipeline: Scenarios = shapesUpTo(3).flatMap((shape) => {
  const inBackground = restarting(alone(shape, true, 1))
  return shape.length < 3 ? [restarting(alone(shape, false, 1)), inBackground] : [inBackground]
})

/** Further off the ordinary way. */
export const farAstray: Scenarios = [alone("pgf", false, 3)]

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

/** Calls that meet, and may be restarted. */
const restarted: Scenarios = [
  together("two agents", 1, [a("pgf"), b("dpf")]),
  together("two background calls and one place", 1, [a("pgf", inBackground), b("dp", inBackground)]),
  together("a lane of three", 1, [a("pf"), a("g"), a("df")]),
  together("a lane that is decided beforehand", 1, [
    a("gf", { decision: "requested" }),
    a("p", { decision: "deny" }),
    a("pg", { decision: "approve" }),
    a("g", { decision: "requested" }),
  ]),
  together("gates that only a person passes", 1, [
    a("gGpf", { decision: "approve" }),
    a("pGg", { decision: "approve", background: true }),
  ]),
  together("apply", 1, [a("prpf"), a("", apply)]),
  together("apply and discard at once", 1, [a("Rpf"), a("", apply), a("", { ...discard, outside: true })]),
  together("an action that stages another", 1, [a("prprf"), a("", apply), a("", apply)]),
  together("a gate behind a preview", 1, [a("rgdf"), a("", apply)]),
  together("a background action", 1, [a("rdf", inBackground), a("", { ...apply, outside: true })]),
]

/** Calls that meet. */
export const meetings: Scenarios = [
  ...restarted.map(restarting),
  together("two agents, one with two calls", 1, [a("gf"), a("p"), b("dgf")]),
  together("two agents and a background call", 0, [a("pgf"), b("df"), b("gf", inBackground)]),
  together(
    "three background calls and two places",
    0,
    [a("df", inBackground), a("dp", inBackground), b("gp", inBackground)],
    2,
  ),
  together("an action that is dropped", 2, [a("rpf"), a("", apply)]),
  together("two actions", 1, [a("rpf"), a("rdf"), a("", apply), a("", discard)]),
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

/**
 * For docs/call-machine.md. Each is here for rows that no other shows: what a wider exploration saw, of thousands of scenarios,
 * these few see too.
 */
export const forPage: Scenarios = [
  ...[alone("f", false, 1), alone("d", true, 1), alone("pr", false, 1), alone("g", false, 3)].map(restarting),
  alone("ff", false, 2),
  alone("pr", true, 3),
  alone("dgg", true, 2),
  alone("gf", true, 3),
  alone("drf", true, 2),
  ...["mp", "mg", "mf", "m"].flatMap((shape) => [alone(shape, false, 1), alone(shape, true, 1)]),
  together("refused", 0, [a("p", { refused: true })]),
  together("requested", 1, [a("gf", { decision: "requested", background: true })]),
  together("a gate of a handler's own", 2, [a("pG", { decision: "approve", background: true })]),
  together("decided beforehand", 1, [a("gf", { decision: "requested" }), a("p", { decision: "deny" })]),
  together("too many actions", 0, [a("r"), a("r"), a("r"), a("rr"), a("", apply)]),
  together("too many actions to clean up after", 0, [a("rf"), a("rf"), a("rf"), a("rf")]),
  restarting(together("an action", 1, [a("rp"), a("", apply)])),
  ...["rdf", "rg", "rm"].map((shape) => together(`the action of ${shape}`, 1, [a(shape), a("", apply)])),
  ...["rp", "rr"].map((shape) => together(`the action of ${shape}`, 2, [a(shape), a("", apply)])),
  together("an action in the background", 1, [a("rf"), a("", { ...apply, background: true })]),
]
