/** The tools that both executors run, composed by the same code. */
import { defineTool, type HandlerFunction, pipeline, Step, ToolRegistry } from "stepline"
import { BarePlan } from "./bare-call.ts"
import type { BareTool } from "./limit.ts"

export const params = { text: "hello" }

/** What a pipeline and a bare plan have in common. */
interface Plan<P> {
  andThen(handler: HandlerFunction): P
  awaitApproval(): P
  finally(handler: HandlerFunction): P
}

type Compose = <P extends Plan<P>>(plan: P, text: string) => P

const composed: Readonly<Record<string, Compose>> = {
  sync: (plan, text) => plan.andThen(() => Step.Output(text)),
  async: (plan, text) => plan.andThen(async () => Step.Output(text)),
  gate: (plan, text) => plan.awaitApproval().andThen(() => Step.Output(text)),
  gated: (plan, text) =>
    plan
      .andThen(async () => Step.Continue)
      .awaitApproval()
      .andThen(async () => Step.Output(text)),
  closing: (plan, text) => composed.gated!(plan, text).finally(async () => Step.Continue),
}

export const registry = new ToolRegistry(
  Object.entries(composed).map(([name, compose]) =>
    defineTool({
      name,
      description: "Gives its text.",
      parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] } as const,
      compose: (given) => compose(pipeline(), (given as typeof params).text),
    }),
  ),
)

/** Validated as stepline validates, without its call. */
const bareTool = async (name: string, compose: Compose): Promise<[string, BareTool]> => {
  const { validator } = registry.get(name)!
  await validator.compile()
  const validate = (given: unknown) => validator.validate(given)
  return [name, { validate, compose: (given) => compose(new BarePlan(), (given as typeof params).text) }]
}

export const bareTools: ReadonlyMap<string, BareTool> = new Map(
  await Promise.all(Object.entries(composed).map(([name, compose]) => bareTool(name, compose))),
)
