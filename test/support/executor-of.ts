/** Executors of small tools: a name and a pipeline each. They are shut down when their test is over. */
import { beforeAll, onTestFinished } from "vitest"
import {
  defineTool,
  type JsonSchema,
  pipeline,
  Step,
  type Tool,
  type ToolCall,
  ToolExecutor,
  type ToolExecutorOptions,
  type ToolOptions,
  type ToolPipeline,
  ToolRegistry,
} from "../../src/index.ts"
import { turn } from "./deferred.ts"
import { newDurable } from "./new-durable.ts"

type Params = Record<string, unknown>

/** A tool's plan, whatever its parameters; a function of them; or a tool that is ready. */
export type Plan<R = never> =
  | ToolPipeline<R>
  | ((params: Params, call: ToolCall) => ToolPipeline<R>)
  | Tool<R>

/** A tool that takes any parameters. */
export const toolOf = <R = never>(
  name: string,
  plan: ToolPipeline<R> | ((params: Params, call: ToolCall) => ToolPipeline<R>),
  options: Partial<ToolOptions<JsonSchema, R>> = {},
): Tool<R> =>
  defineTool<JsonSchema, R>({
    name,
    description: `The tool ${name}.`,
    parameters: { type: "object" },
    compose: typeof plan === "function" ? plan : () => plan,
    ...options,
  })

const isTool = <R>(plan: Plan<R>): plan is Tool<R> => typeof plan === "object" && "compose" in plan

export const registryOf = <R = never>(plans: Readonly<Record<string, Plan<R>>>): ToolRegistry<R> =>
  new ToolRegistry(Object.entries(plans).map(([name, plan]) => (isTool(plan) ? plan : toolOf(name, plan))))

export const executorOf = (
  plans: Readonly<Record<string, Plan>>,
  options?: ToolExecutorOptions,
): ToolExecutor => {
  const registry = registryOf(plans)
  const durable = newDurable?.(registry, options)
  const executor = durable?.executor ?? new ToolExecutor(registry, options)
  onTestFinished(() => (durable ?? executor)[Symbol.asyncDispose]())
  return executor
}

// The first call of a process loads the validator's library: tests that count turns of the event loop, or let virtual
// time pass, come after that.
beforeAll(async () => {
  const executor = new ToolExecutor(
    registryOf({ first: pipeline().andThen(() => turn().then(() => Step.Continue)) }),
    { backgroundConcurrency: 1 },
  )
  const ids = executor.enqueue([
    { name: "first", background: true },
    { name: "first", background: true },
  ])
  while ((await executor.next()) !== undefined) {}
  await Promise.all(ids.map((id) => executor.tasks.wait(id)))
  await executor.shutdown()
})
