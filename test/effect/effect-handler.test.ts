import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { describe, expect, expectTypeOf, it } from "vitest"
import { effectHandler, type FailingHandler, failureOf } from "../../src/effect/index.ts"
import { pipeline, Step } from "../../src/index.ts"
import { executorOf } from "../support/executor-of.ts"

class UnknownCity extends Data.TaggedError("UnknownCity")<{ readonly city: string }> {}
class Offline extends Data.TaggedError("Offline")<{ readonly message: string }> {}

const weatherOf = (city: string): Effect.Effect<string, UnknownCity | Offline> =>
  city === "Bern"
    ? Effect.fail(new Offline({ message: "No network" }))
    : Effect.fail(new UnknownCity({ city }))

const lookUp = (city: string, toModel?: (error: UnknownCity | Offline) => string) =>
  effectHandler("look up", () => Effect.map(weatherOf(city), Step.Output), { ...(toModel && { toModel }) })

const run = (own: FailingHandler<unknown>) =>
  executorOf({ tool: pipeline().andThen(own) }).run({ name: "tool" })

describe("effectHandler", () => {
  it("keeps the type of its failures", () => {
    expectTypeOf(lookUp("Bern")).toEqualTypeOf<FailingHandler<UnknownCity | Offline>>()
  })

  it("tells the model a failure's message", async () => {
    expect(await run(lookUp("Bern"))).toMatchObject({
      status: "error",
      reason: "failed",
      content: "No network",
    })
  })

  it("without a message, its tag and its fields", async () => {
    expect((await run(lookUp("Ys"))).content).toBe('UnknownCity: {"city":"Ys"}')
  })

  it("or what `toModel` makes of it", async () => {
    const own = lookUp("Ys", (error) => (error._tag === "Offline" ? "Try later." : `No city ${error.city}.`))
    expect((await run(own)).content).toBe("No city Ys.")
  })

  it("a `toModel` that throws hides no failure", async () => {
    const own = lookUp("Bern", () => {
      throw new Error("broken")
    })
    expect((await run(own)).content).toBe("No network")
  })

  it("a defect stays one, and what throws before it gives an Effect", async () => {
    const broken = effectHandler("broken", () => Effect.die(new Error("a bug")), { toModel: () => "typed" })
    expect(await run(broken)).toMatchObject({ status: "error", content: "a bug" })
    const thrower = effectHandler("thrower", () => {
      throw new Error("no Effect")
    })
    expect(await run(thrower)).toMatchObject({ status: "error", content: "no Effect" })
  })
})

describe("failureOf", () => {
  it("gives a handler's own failure back with its type", async () => {
    const own = lookUp("Ys")
    const result = await run(own)
    const failure = failureOf(own, result)
    expectTypeOf(failure).toEqualTypeOf<Option.Option<UnknownCity | Offline>>()
    expect(Option.getOrThrow(failure)).toEqual(new UnknownCity({ city: "Ys" }))
    expect(Cause.isCause(result.cause)).toBe(true)
  })

  it("and nothing of another one's", async () => {
    const result = await run(lookUp("Ys"))
    expect(failureOf(lookUp("Ys"), result)).toEqual(Option.none())
    expect(failureOf(lookUp("Ys"), {})).toEqual(Option.none())
  })
})
