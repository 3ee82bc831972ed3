import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { type HandlerContext, type HandlerReturn, handler, pipeline, Step } from "../../../src/index.ts"
import { ScriptedHost } from "../../../src/testing.ts"
import { turn } from "../../support/deferred.ts"
import { executorOf } from "../../support/executor-of.ts"
import { contentOf, endOf, runOne } from "../../support/run-one.ts"

const show = ({ output }: HandlerContext) =>
  Step.Output(`saw ${output === undefined ? "nothing" : JSON.stringify(output.content)}`)

describe("a handler answers", () => {
  const answers: Record<string, () => HandlerReturn> = {
    "with a plain step": () => Step.Output("done"),
    "with a promise": async () => Step.Output("done"),
    "with a promise that settles later": () => turn().then(() => Step.Output("done")),
    "with a thenable that is no promise": () => ({
      // biome-ignore lint/suspicious/noExplicitAny: the signature of `then` is generic
      then: (resolve: any) => resolve(Step.Output("done")),
    }),
    "with an Effect that succeeds at once": () => Effect.succeed(Step.Output("done")),
    "with an Effect that suspends": () => Effect.as(Effect.yieldNow, Step.Output("done")),
    "with an Effect of a promise": () => Effect.promise(async () => Step.Output("done")),
    "with an async generator that returns the step": async function* () {
      yield Step.Continue
      return Step.Output("done")
    } as () => AsyncGenerator<Step, Step>,
    "with an async generator that yields the step": async function* () {
      yield Step.Output("done")
    },
    "with an async iterable that has no `return`": () => {
      let told = false
      return {
        [Symbol.asyncIterator]: () => ({
          async next() {
            if (told) return { done: true, value: undefined }
            told = true
            return { done: false, value: Step.Output("done") }
          },
        }),
      }
    },
  }

  for (const [how, call] of Object.entries(answers)) {
    it(how, async () => {
      expect(await contentOf(pipeline().andThen({ name: "answers", call }).andThen(show))).toBe(
        'saw [{"type":"text","text":"done"}]',
      )
    })
  }

  it("as a method of its object", async () => {
    class Greeter {
      readonly name = "greeter"
      readonly greeting = "hello"
      call() {
        return Step.Output(this.greeting)
      }
    }
    expect(await contentOf(pipeline().andThen(new Greeter()))).toBe("hello")
  })
})

describe("a handler that goes wrong is an Error with its message, and the cause goes to the host", () => {
  const failure = new Error("no such table")
  const failures: Record<string, () => HandlerReturn> = {
    throws: () => {
      throw failure
    },
    rejects: () => Promise.reject(failure),
    "rejects later": () => turn().then(() => Promise.reject(failure)),
    fails: () => Effect.fail(failure),
    "fails later": () => Effect.andThen(Effect.yieldNow, Effect.fail(failure)),
    dies: () => Effect.die(failure),
    "throws inside its Effect": () =>
      Effect.sync(() => {
        throw failure
      }),
  }
  for (const [how, call] of Object.entries(failures)) {
    it(how, async () => {
      const log: Array<string> = []
      const plan = pipeline()
        .andThen({ name: "wrong", call })
        .andThen(() => {
          log.push("next handler")
          return Step.Continue
        })
        .finally(() => {
          log.push("finally")
          return Step.Continue
        })
      const last = await endOf(plan)
      expect(last).toMatchObject({ _tag: "Error", reason: "failed", content: "no such table" })
      expect(last).toHaveProperty("cause")
      expect(JSON.stringify({ ...last, cause: undefined })).not.toContain(failure.stack)
      expect(log).toEqual(["finally"])
    })
  }

  it("throws a string", async () => {
    const plan = pipeline().andThen(() => {
      throw "plain words"
    })
    expect(await endOf(plan)).toMatchObject({ _tag: "Error", content: "plain words" })
  })

  it("throws something without a message", async () => {
    const plan = pipeline().andThen(() => {
      throw Object.create(null)
    })
    const last = await endOf(plan)
    expect(last).toMatchObject({ _tag: "Error", reason: "failed", content: expect.any(String) })
    expect(last).not.toMatchObject({ content: "" })
  })

  it("interrupts its own fiber", async () => {
    const plan = pipeline()
      .andThen(() => Effect.interrupt)
      .andThen(() => Step.Continue)
    expect(await endOf(plan)).toMatchObject({ _tag: "Error", reason: "failed", content: expect.any(String) })
  })

  for (const [what, value] of Object.entries({
    nothing: undefined,
    null: null,
    "a bare string": "text",
    "an object without a tag": {},
    "an object with another tag": { _tag: "Done" },
  })) {
    it(`gives ${what}, at once, as a promise, as an Effect, or yielded`, async () => {
      const shapes: ReadonlyArray<unknown> = [
        () => value,
        async () => value,
        () => Effect.succeed(value),
        ...(value === undefined
          ? []
          : [
              async function* () {
                yield value
              },
            ]),
      ]
      for (const shape of shapes) {
        const last = await endOf(pipeline().andThen({ name: "wrong", call: shape as () => Step }))
        expect(last).toMatchObject({
          _tag: "Error",
          reason: "failed",
          content: expect.stringContaining("wrong"),
        })
      }
    })
  }

  it("gives an output that is neither text nor blocks", async () => {
    const plan = pipeline().andThen(() => Step.Output({ text: "oops" } as never))
    expect(await endOf(plan)).toMatchObject({ _tag: "Error", reason: "failed" })
  })
})

describe("the handler's context", () => {
  it("tells the call, the executor's folder and workspace", async () => {
    const executor = executorOf(
      {
        tool: pipeline().andThen(({ call, cwd, workspace, resolution }) =>
          Step.Output({ content: [], details: { call, cwd, workspace, resolution: resolution ?? null } }),
        ),
      },
      { cwd: "/srv/project", workspace: "/srv" },
    )
    const [, end] = await new ScriptedHost(executor).run([
      { agentId: "reviewer", callId: "c", name: "tool", params: { path: "a" } },
    ])
    expect(end).toMatchObject({
      output: {
        details: {
          call: {
            agentId: "reviewer",
            callId: "c",
            name: "tool",
            params: { path: "a" },
            decision: "pending",
            background: false,
          },
          cwd: "/srv/project",
          workspace: "/srv",
          resolution: null,
        },
      },
    })
  })

  it("starts in the process's folder, with no workspace, unless told otherwise", async () => {
    const plan = pipeline().andThen(({ cwd, workspace }) => Step.Output(`${cwd} ${workspace}`))
    expect(await contentOf(plan)).toBe(`${process.cwd()} undefined`)
  })

  it("gives the same signal to whoever reads it, unaborted while the call goes well", async () => {
    const signals: Array<AbortSignal> = []
    const plan = pipeline()
      .andThen((context) => {
        signals.push(context.signal, context.signal)
        return Step.Continue
      })
      .andThen(async ({ signal }) => {
        signals.push(signal)
        await turn()
        return Step.Output(String(signal.aborted))
      })
    expect(await contentOf(plan)).toBe("false")
    expect(new Set(signals).size).toBe(1)
    expect(signals[0]).toBeInstanceOf(AbortSignal)
  })

  it("streams with `delta`, also when it was taken out of the context", async () => {
    const plan = pipeline().andThen(async ({ delta }) => {
      await delta("one")
      await delta("two")
      return Step.Output("end")
    })
    expect(await runOne(plan)).toMatchObject([
      { _tag: "Started" },
      { _tag: "Delta", content: "one" },
      { _tag: "Delta", content: "two" },
      { _tag: "Completed", content: "end" },
    ])
  })

  it("names a handler made by `handler`", () => {
    const greet = handler("greet", ({ call }) => Step.Output(`hello ${call.agentId}`))
    expect(greet.name).toBe("greet")
  })
})
