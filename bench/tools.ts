/** The tools that are called, made of the same handlers for both executors, which are made anew for every call. */
import { defineTool, type HandlerFunction, pipeline, Step, ToolRegistry } from "stepline"
import { type BareTools, gate } from "./bare.ts"

interface Params {
  readonly text: string
}

const parameters = {
  type: "object",
  properties: { text: { type: "string", description: "What comes back." } },
  required: ["text"],
} as const

export const params: Params = { text: "hello" }

const Check =
  ({ text }: Params): HandlerFunction =>
  () =>
    text === "" ? Step.Error("Nothing to write") : Step.Continue

const Write =
  ({ text }: Params): HandlerFunction =>
  async () =>
    text === "" ? Step.Error("Nothing was written") : Step.Continue

const Report =
  ({ text }: Params): HandlerFunction =>
  () =>
    Step.Output(text)

const Await =
  ({ text }: Params): HandlerFunction =>
  async () =>
    Step.Output(text)

const Close = (): HandlerFunction => () => Step.Continue

/**
 * `plain` is one synchronous handler, `awaited` one that gives a promise, `approved` one behind a gate; `gated` is three, the second a promise, with a gate
 * after the first and a finally handler.
 */
export const registry = new ToolRegistry([
  defineTool({
    name: "plain",
    description: "One handler.",
    parameters,
    compose: (given) => pipeline().andThen(Report(given as unknown as Params)),
  }),
  defineTool({
    name: "awaited",
    description: "One handler that gives a promise.",
    parameters,
    compose: (given) => pipeline().andThen(Await(given as unknown as Params)),
  }),
  defineTool({
    name: "approved",
    description: "A handler behind a gate.",
    parameters,
    compose: (given) =>
      pipeline()
        .awaitApproval()
        .andThen(Report(given as unknown as Params)),
  }),
  defineTool({
    name: "gated",
    description: "Three handlers.",
    parameters,
    compose: (given) => {
      const checked = given as unknown as Params
      return pipeline()
        .andThen(Check(checked))
        .awaitApproval()
        .andThen(Write(checked))
        .andThen(Report(checked))
        .finally(Close())
    },
  }),
])

export const bareTools: BareTools = {
  plain: (given) => ({ parts: [Report(given as Params)], finally: [] }),
  awaited: (given) => ({ parts: [Await(given as Params)], finally: [] }),
  approved: (given) => ({ parts: [gate, Report(given as Params)], finally: [] }),
  gated: (given) => {
    const checked = given as Params
    return { parts: [Check(checked), gate, Write(checked), Report(checked)], finally: [Close()] }
  },
}
