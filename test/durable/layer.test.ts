import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { expect, it } from "vitest"
import { DurableExecutor, StoreError } from "../../src/durable/index.ts"
import { effectHandler } from "../../src/effect/index.ts"
import { pipeline, Step } from "../../src/index.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { registryOf } from "../support/executor-of.ts"
import { durableOf } from "./durable-of.ts"

const path = useTempFolder()

class Greeting extends Context.Service<Greeting, { readonly text: string }>()("test/Greeting") {}

it("a durable executor is a layer, whose handlers have the program's services", async () => {
  const tool = pipeline().andThen(
    effectHandler("Greet", () => Effect.map(Greeting, ({ text }) => Step.Output(text))),
  )
  const program = Effect.gen(function* () {
    const durable = yield* DurableExecutor
    yield* Effect.promise(() => durable.enqueue([{ callId: "a", name: "tool" }]))
    yield* Effect.promise(async () => {
      for await (const event of durable.events()) if (event._tag === "Completed") break
    })
    return yield* Effect.promise(() => durable.result("a"))
  })
  const services = Layer.succeed(Greeting, { text: "hello" })
  const layer = DurableExecutor.layer(registryOf({ tool }), { store: path("calls.db") })
  const result = await Effect.runPromise(Effect.provide(program, Layer.provide(layer, services)))
  expect(result).toMatchObject({ content: "hello" })
  // Its scope has closed it.
  const next = await durableOf(path("calls.db"), {})
  expect(await next.result("a")).toMatchObject({ content: "hello" })
  const refused = Effect.provide(program, Layer.provide(layer, services))
  expect(await Effect.runPromise(Effect.flip(refused))).toBeInstanceOf(StoreError)
})
