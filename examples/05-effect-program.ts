// In an Effect program: handlers are Effects that need services, and a scope owns the executor.
import { Type } from "@sinclair/typebox"
import { Context, Data, Effect, Stream } from "effect"
import { defineTool, handler, pipeline, Step, ToolExecutor, ToolRegistry } from "stepline"

class UnknownCity extends Data.TaggedError("UnknownCity")<{ readonly message: string }> {}

class Weather extends Context.Service<
  Weather,
  { readonly of: (city: string) => Effect.Effect<string, UnknownCity> }
>()("example/Weather") {}

const forecast = defineTool({
  name: "forecast",
  description: "Tells the weather of a city.",
  parameters: Type.Object({ city: Type.String({ description: "The city's name." }) }),
  compose: ({ city }) =>
    pipeline()
      .andThen(
        handler("look up", () =>
          Effect.gen(function* () {
            const weather = yield* Weather
            return Step.Output(yield* weather.of(city))
          }),
        ),
      )
      .finally(handler("log", () => Effect.as(Effect.log(`looked up ${city}`), Step.Continue))),
})

const program = Effect.gen(function* () {
  // The type says that this registry needs a Weather; without one the program does not compile.
  const executor = yield* ToolExecutor.make(new ToolRegistry([forecast]), { callTimeout: "3 seconds" })
  executor.enqueue(["Bern", "Atlantis", "Limbo"].map((city) => ({ name: "forecast", params: { city } })))
  const ended = executor.stream.pipe(
    Stream.filter((event) => event._tag === "Completed" || event._tag === "Error"),
    Stream.take(3),
  )
  yield* Stream.runForEach(ended, (event) =>
    Effect.sync(() => console.log(`${event._tag}: ${event.content}`)),
  )
})

const cities: Record<string, Effect.Effect<string>> = {
  Bern: Effect.succeed("Bern: 21°"),
  Limbo: Effect.never,
}

const weather = Weather.of({
  of: (city) => cities[city] ?? Effect.fail(new UnknownCity({ message: `There is no city named ${city}` })),
})

await Effect.runPromise(Effect.scoped(program).pipe(Effect.provideService(Weather, weather)))
