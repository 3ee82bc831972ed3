/** What holds for every tool, run against one: bad parameters, approval, denial, failing hosts, cancels, cleanup once. */
import { describe, expect, it } from "vitest"
import {
  type EffectHandler,
  pipeline,
  type Tool,
  type ToolEvent,
  type ToolPipeline,
} from "../../src/index.ts"
import { type Answers, drive, effectsOf, isEnding } from "./drive.ts"
import { executorIn } from "./executor-in.ts"

export interface ConformanceCase {
  readonly tool: Tool
  /** The folder of the test, which is the executor's. */
  readonly cwd: () => string
  /** Makes what a call needs, and gives its parameters. */
  readonly prepare: () => unknown | Promise<unknown>
  /** Parameters that its schema forbids. */
  readonly badParams: unknown
  /** Whether it asks before it does anything. */
  readonly asks: boolean
  /** The effects of a call that is approved. */
  readonly effects: ReadonlyArray<string>
  /** Those of its cleanup that come however it ends, once it was composed. */
  readonly cleanup: ReadonlyArray<string>
  /** What became of that which the tool changes; for a tool that changes something. */
  readonly state?: () => Promise<State>
}

export type State = "untouched" | "done" | "half done"

interface Schema {
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
}

const descriptionsOf = ({ properties = {}, items }: Schema): Array<string | undefined> => [
  ...Object.values(properties).flatMap((property) => [property.description, ...descriptionsOf(property)]),
  ...(items === undefined ? [] : descriptionsOf(items)),
]

/** The tool with something that happens when its nth part, a handler, is called. */
const interrupted = (tool: Tool, at: number, act: () => void): Tool => ({
  ...tool,
  compose: (params, call) =>
    tool.compose(params, call).steps.reduce<ToolPipeline>((plan, part, index) => {
      if (part.kind !== "handler" && part.kind !== "finally") return plan.awaitApproval()
      const { handler } = part
      const acting: EffectHandler = {
        name: part.name,
        call: (context) => {
          if (index === at) act()
          return handler.call(context)
        },
      }
      return part.kind === "finally" ? plan.finally(acting) : plan.andThen(acting)
    }, pipeline()),
})

const partsOf = (tool: Tool, params: unknown) =>
  tool
    .compose(params, {
      agentId: "main",
      callId: "plan",
      name: tool.name,
      params,
      decision: "pending",
      background: false,
    })
    .describe()

export const conforms = (subject: ConformanceCase): void => {
  const { tool, cwd, prepare, badParams, asks, effects, cleanup, state } = subject
  const { name } = tool

  const executorOf = (of: Tool = tool) => executorIn(cwd(), [of])

  const expectState = async (...expected: Array<State>) => {
    if (state !== undefined) expect(expected).toContain(await state())
  }

  const expectCleanedUpOnce = (events: ReadonlyArray<ToolEvent>) => {
    const asked = effectsOf(events).filter((effect) => cleanup.includes(effect))
    expect(asked).toEqual(cleanup)
  }

  /** Runs one call to its end, and checks what holds of every call. */
  const run = async (params: unknown, answers?: Answers, executor = executorOf()) => {
    executor.enqueue([{ callId: "call", name, params }])
    const events = await drive(executor, answers)
    expect(events.filter(isEnding)).toEqual(events.slice(-1))
    expect(executor.inspect()).toEqual([])
    return { events, end: events.at(-1)! }
  }

  describe(name, () => {
    it("describes every parameter", () => {
      for (const description of descriptionsOf(tool.parameters)) expect(description).toMatch(/\w\.$/)
      expect(tool.description).toMatch(/\w\.$/)
    })

    it("refuses bad parameters with nothing run", async () => {
      await prepare()
      const { events, end } = await run(badParams)
      expect(end).toMatchObject({ _tag: "Error", reason: "invalid" })
      expect(effectsOf(events)).toEqual([])
      await expectState("untouched")
    })

    it(asks ? "asks once, and does what it is for once it is approved" : "asks nobody", async () => {
      const params = await prepare()
      let undone = Promise.resolve()
      const { events, end } = await run(params, {
        onApproval: (gate) => {
          undone = expectState("untouched").finally(() => gate.approve())
        },
      })
      await undone
      expect(events.filter(({ _tag }) => _tag === "AwaitingApproval")).toHaveLength(asks ? 1 : 0)
      expect(end._tag).toBe("Completed")
      expect(effectsOf(events)).toEqual(effects)
      await expectState("done")
    })

    if (asks) {
      it("does nothing when it is denied, but cleans up", async () => {
        const params = await prepare()
        const { events, end } = await run(params, { onApproval: (gate) => gate.deny("not now") })
        expect(end).toMatchObject({ _tag: "Denied", content: "not now", by: "user" })
        expectCleanedUpOnce(events)
        await expectState("untouched")
      })
    }

    it("cleans up once whichever effect fails", async () => {
      for (const failing of effects) {
        const params = await prepare()
        const { events } = await run(params, {
          onDelegate: (event) => {
            if (event.effect._tag === failing) event.fail("the host cannot")
            else event.succeed()
          },
        })
        expectCleanedUpOnce(events)
        await expectState("untouched", "done")
      }
    })

    it("cleans up once when it is cancelled at any event", async () => {
      const params = await prepare()
      const { events: all } = await run(params)
      for (let at = 0; at < all.length - 1; at++) {
        const params = await prepare()
        const executor = executorOf()
        let seen = 0
        const { events, end } = await run(
          params,
          {
            onEvent: () => {
              if (seen++ === at) executor.cancelCall("call")
            },
          },
          executor,
        )
        expect(["Cancelled", "Completed"]).toContain(end._tag)
        expectCleanedUpOnce(events)
        await expectState("untouched", "done")
      }
    })

    it.each(["as it starts", "while it runs"])(
      "cleans up once when any handler is cancelled %s",
      async (when) => {
        const parts = partsOf(tool, await prepare())
        for (const [at, part] of parts.entries()) {
          if (part.kind !== "handler" && part.kind !== "finally") continue
          const params = await prepare()
          const cancel = () => executor.cancelCall("call")
          const act = when === "as it starts" ? cancel : () => setImmediate(cancel)
          const executor = executorOf(interrupted(tool, at, act))
          const { events, end } = await run(params, {}, executor)
          expect(["Cancelled", "Completed"]).toContain(end._tag)
          expectCleanedUpOnce(events)
          await expectState("untouched", "done")
        }
      },
    )

    it("leaves nothing to clean when it is cancelled in the queue", async () => {
      const params = await prepare()
      const executor = executorOf()
      executor.enqueue([{ callId: "call", name, params }])
      executor.cancelCall("call")
      const events = await drive(executor)
      expect(events.map(({ _tag }) => _tag)).toEqual(["Cancelled"])
      await expectState("untouched")
    })
  })
}
