/** The tools of an executor as a Toolkit, for the language models of Effect. */

import * as AiTool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { ToolEvent } from "../model/event.ts"
import { ToolRegistry } from "../model/registry.ts"
import type { Tool } from "../model/tool.ts"
import type { ToolDefinition } from "../model/tool-definition.ts"
import type { ToolTypes } from "../model/tool-types.ts"
import type { ToolContent } from "../output/content.ts"
import type { JsonSchema } from "../schema/json-schema.ts"
import { toPart } from "./model-output.ts"
import { type ServicesOf, ToolExecution } from "./tool-execution.ts"

/** Accepts any record, because the executor has checked the block. */
const Block = Schema.Record(Schema.String, Schema.Unknown) as unknown as Schema.Codec<ToolContent>

/** The result of a call that succeeds: the content for the model, and its data. */
export const ToolSuccess = Schema.Struct({
  content: Schema.Array(Block),
  structured: Schema.optionalKey(Schema.Unknown),
})

/** A tool of an executor in a Toolkit. It fails with the text for the model. */
export type ExecutorTool<Name extends string = string> = AiTool.Dynamic<
  Name,
  {
    readonly parameters: JsonSchema
    readonly success: typeof ToolSuccess
    readonly failure: typeof Schema.String
    readonly failureMode: "return"
  }
>

/** The tools of a registry in a Toolkit, by name. */
export type ExecutorTools<T extends ToolTypes> = { readonly [Name in T["name"]]: ExecutorTool<Name> }

/** The agent of a Toolkit's calls, and the listener for their events. */
export interface ToolkitHandlersOptions<A = void> {
  /** Default `"main"`. */
  readonly agentId?: string
  /** Called with the events of each call, as in `ToolExecution.run`. Without it gates are denied and effects fail. */
  readonly onEvent?: (event: ToolEvent) => A
}

const executorTool = ({ name, description, parameters }: ToolDefinition): ExecutorTool =>
  AiTool.dynamic(name, {
    description,
    parameters,
    success: ToolSuccess,
    failure: Schema.String,
    failureMode: "return",
    toModelOutput: ({ content }: typeof ToolSuccess.Type) => content.map(toPart),
  })

const annotated = (tool: ExecutorTool, { label, annotations }: Tool<never>): ExecutorTool => {
  const { readOnly, destructive, idempotent, openWorld } = annotations
  let noted: AiTool.Any = tool.annotate(AiTool.Title, label)
  if (readOnly !== undefined) noted = noted.annotate(AiTool.Readonly, readOnly)
  if (destructive !== undefined) noted = noted.annotate(AiTool.Destructive, destructive)
  if (idempotent !== undefined) noted = noted.annotate(AiTool.Idempotent, idempotent)
  if (openWorld !== undefined) noted = noted.annotate(AiTool.OpenWorld, openWorld)
  return noted as unknown as ExecutorTool
}

/**
 * A Toolkit of a registry's tools, without hidden ones; or of definitions, such as those of an agent in this turn:
 * `executor.agent(id).definitions()` includes `resolve` while a preview is pending. `toolkitHandlers` runs the calls.
 *
 * @example
 * const toolkit = toToolkit(registry)
 * LanguageModel.generateText({ prompt, toolkit }).pipe(
 *   Effect.provide(toolkitHandlers(toolkit)),
 *   Effect.provide(ToolExecution.layer(registry)),
 * )
 */
export const toToolkit = <R, T extends ToolTypes>(
  source: ToolRegistry<R, T> | ReadonlyArray<ToolDefinition>,
): Toolkit.Toolkit<ExecutorTools<T>> => {
  const isRegistry = source instanceof ToolRegistry
  const definitions = isRegistry ? source.definitions() : source
  const tools = definitions.map((definition) => {
    const tool = isRegistry ? source.get(definition.name) : undefined
    const made = executorTool(definition)
    return tool === undefined ? made : annotated(made, tool as unknown as Tool<never>)
  })
  return Toolkit.make(...tools) as unknown as Toolkit.Toolkit<ExecutorTools<T>>
}

/** Handlers for such a Toolkit: each call runs through the `ToolExecution`, in its agent's lane, with rules and gates. */
export const toolkitHandlers = <Tools extends Record<string, ExecutorTool>, A = void>(
  toolkit: Toolkit.Toolkit<Tools>,
  { agentId, onEvent }: ToolkitHandlersOptions<A> = {},
): Layer.Layer<AiTool.HandlersFor<Tools>, never, ToolExecution | ServicesOf<A>> => {
  const handlers = Effect.gen(function* () {
    const execution = yield* ToolExecution
    const services = yield* Effect.context<ServicesOf<A>>()
    const handlerOf = (name: string) =>
      Effect.fnUntraced(function* (params: unknown, { toolCallId }: Toolkit.HandlerContext<AiTool.Any>) {
        const call = {
          name,
          params,
          ...(toolCallId !== undefined && { callId: toolCallId }),
          ...(agentId !== undefined && { agentId }),
        }
        const result = yield* Effect.provideContext(execution.run(call, onEvent), services)
        const { content, isError, output } = result
        if (isError) return yield* Effect.fail(content)
        const blocks: ReadonlyArray<ToolContent> =
          result.status === "background" ? [{ type: "text", text: content }] : output.content
        return { content: blocks, ...("structured" in output && { structured: output.structured }) }
      })
    return Object.fromEntries(Object.keys(toolkit.tools).map((name) => [name, handlerOf(name)]))
  })
  return toolkit.toLayer(handlers as never) as never
}
