import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { expect, expectTypeOf } from "vitest"
import { pipeline, Step, ToolExecutor, type ToolPipeline } from "../../src/index.ts"
import { effectIt } from "../support/effect-it.ts"
import { registryOf } from "../support/executor-of.ts"
import { apply, discard } from "./edit-tool.ts"

class Disk extends Context.Service<Disk, { readonly write: (text: string) => Effect.Effect<void> }>()(
  "Disk",
) {}
class Scratch extends Context.Service<Scratch, { readonly remove: Effect.Effect<void> }>()("Scratch") {}

const log: Array<string> = []
const note = (text: string) => Effect.sync(() => void log.push(text))

const plan = pipeline()
  .awaitResolve({
    label: "Change",
    onDiscard: () =>
      Effect.as(
        Effect.flatMap(Scratch, ({ remove }) => remove),
        Step.Continue,
      ),
  })
  .andThen(() =>
    Effect.as(
      Effect.flatMap(Disk, ({ write }) => write("changed")),
      Step.Continue,
    ),
  )

effectIt("what is applied or discarded has the services of the program that made the executor", () =>
  Effect.gen(function* () {
    const executor = yield* ToolExecutor.make(registryOf({ edit: plan }))
    for (const request of [apply, discard]) {
      yield* Effect.promise(() => executor.run({ name: "edit" }))
      const { status } = yield* Effect.promise(() => executor.agent().resolve(request))
      expect(status).toBe("complete")
    }
    expect(log).toEqual(["changed", "removed"])
  }).pipe(
    Effect.provideService(Disk, { write: note }),
    Effect.provideService(Scratch, { remove: note("removed") }),
  ),
)

expectTypeOf(plan).toEqualTypeOf<ToolPipeline<Disk | Scratch>>()
