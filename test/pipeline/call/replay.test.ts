import fc from "fast-check"
import { expect, it, vi } from "vitest"
import type { Call } from "../../../src/pipeline/call/call.ts"
import type { Command } from "../../../src/pipeline/call/command.ts"
import type { Input } from "../../../src/pipeline/call/input.ts"
import { command } from "../random-commands.ts"
import { shapes } from "../random-pipeline.ts"
import { Simulation } from "../simulation.ts"
import { cloneRecord } from "./explored-call.ts"

/** What the driver, the pool and the lanes note of a call, which `transition` neither reads nor changes. */
const noted = [
  "tool",
  "to",
  "origin",
  "isActive",
  "hasTurn",
  "isLeft",
  "begun",
  "attempt",
  "timer",
  "stream",
  "span",
  "controller",
  "told",
  "called",
  "madeWith",
  "nested",
  "askedAt",
  "askedSeq",
  "earlier",
  "startedAt",
  "ending",
  "resolved",
] as const satisfies ReadonlyArray<keyof Call>

/** The data of a call that `transition` moves, as they are now. */
const copyOf = (call: Call): Call => ({
  ...cloneRecord(call),
  ...Object.fromEntries(noted.map((name) => [name, undefined])),
})

interface Recorded {
  readonly input: Input
  readonly took: boolean
  readonly commands: ReadonlyArray<Command>
  /** What the driver had changed in the call by itself since the previous input. */
  readonly noted: { readonly isAsked: boolean; readonly reply: boolean }
  readonly after: Call
}

interface History {
  readonly first: Call
  readonly inputs: Array<Recorded>
}

const { histories } = vi.hoisted(() => ({
  histories: new Map<unknown, unknown>() as Map<Call, History>,
}))

type Machine = typeof import("../../../src/pipeline/call/transition.ts")

const isQuestionAsked = ({ state }: Call): boolean =>
  (state._tag === "Asking" || state._tag === "Cleaning") && state.question?.isAsked === true

vi.mock("../../../src/pipeline/call/transition.ts", async (original) => {
  const { transition } = await original<Machine>()
  return {
    transition: ((record, input, out) => {
      const history = histories.get(record) ?? { first: copyOf(record), inputs: [] }
      histories.set(record, history)
      const noted = { isAsked: isQuestionAsked(record), reply: record.reply !== undefined }
      const commands: Array<Command> = []
      const took = transition(record, input, {
        push: (sent) => {
          commands.push(sent)
          out.push(sent)
        },
      })
      history.inputs.push({ input, took, commands, noted, after: copyOf(record) })
      return took
    }) satisfies Machine["transition"],
  }
})

/** Besides `transition`, only the driver changes the data: it notes that a question was asked, and that an answer was passed on. */
const note = (record: Call, { isAsked, reply }: Recorded["noted"]): void => {
  const { state } = record
  if (isAsked && (state._tag === "Asking" || state._tag === "Cleaning")) state.question!.isAsked = true
  if (!reply) record.reply = undefined
}

it("what the executor gave the machine, replayed, gives the same commands and the same records", async () => {
  const { transition } = await vi.importActual<Machine>("../../../src/pipeline/call/transition.ts")
  let replayed = 0
  const property = fc.asyncProperty(
    fc.array(shapes, { minLength: 1, maxLength: 4 }),
    fc.record({
      backgroundConcurrency: fc.integer({ min: 1, max: 3 }),
      eventBuffer: fc.integer({ min: 1, max: 8 }),
    }),
    fc.array(command, { minLength: 10, maxLength: 40 }),
    async (tools, options, commands) => {
      histories.clear()
      const simulation = new Simulation(tools, options)
      for (const next of commands) await simulation.perform(next)
      await simulation.comeToRest()
      await simulation.shutDown()
      for (const { first, inputs } of histories.values()) {
        // The one that the process keeps, in an executor of its own.
        if (first.toolCall.name === "wait") continue
        const record = cloneRecord(first)
        for (const { input, took, commands: sent, noted, after } of inputs) {
          note(record, noted)
          const again: Array<Command> = []
          expect(transition(record, input, { push: (pushed) => again.push(pushed) })).toBe(took)
          expect(again).toEqual(sent)
          expect(record).toEqual(after)
          replayed += 1
        }
        expect(record.state._tag).toBe("Ended")
      }
    },
  )
  await fc.assert(property, { numRuns: 200 })
  expect(replayed).toBeGreaterThan(1000)
})
