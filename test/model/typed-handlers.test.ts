import { expect, expectTypeOf, it } from "vitest"
import { type HandlerContext, handler, pipeline, Step } from "../../src/index.ts"
import { ScriptedHost } from "../../src/testing.ts"
import { executorOf } from "../support/executor-of.ts"

interface Notes {
  readonly at: string
  seen: number
}

it("handlers may type what they tell each other, and what the host answers", async () => {
  const plan = pipeline()
    .andThen(({ memory }: HandlerContext<Notes>) => {
      memory.seen = 3
      // @ts-expect-error: it is a number.
      memory.seen = "3"
      expectTypeOf(memory.at).toEqualTypeOf<string | undefined>()
      memory.seen = 3
      return Step.Continue
    })
    .andThen(
      handler("ask", async ({ delegate, memory }: HandlerContext<Notes>) => {
        const answer = await delegate<{ readonly region: string }>({ _tag: "AskRegion" })
        expectTypeOf(answer?.structured).toEqualTypeOf<{ readonly region: string } | undefined>()
        return Step.Output(`${answer?.structured?.region} ${memory.seen?.toFixed()}`)
      }),
    )
    .finally(({ memory }: HandlerContext<Notes>) => Step.Delta(`${memory.seen}`))
    .finally(({ memory, delegate }) => {
      expectTypeOf(memory.seen).toEqualTypeOf<unknown>()
      expectTypeOf(delegate({ _tag: "x" }))
        .resolves.exclude<undefined>()
        .toHaveProperty("content")
      return Step.Continue
    })
  const host = new ScriptedHost(executorOf({ plan }), { effect: () => ({ structured: { region: "eu" } }) })
  await host.run([{ callId: "c", name: "plan" }])
  expect(host.terminal("c")?.content).toBe("eu 3")
})
