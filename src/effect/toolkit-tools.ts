/** The tools of a Toolkit as tools of an executor: in lanes, behind gates, with events, cancellation and cleanup. */

import * as AiTool from "effect/ai/Tool"
import type * as Toolkit from "effect/ai/Toolkit"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { type HandlerContext, handler, type Needs } from "../model/handler.ts"
import { pipeline, type ToolPipeline } from "../model/pipeline.ts"
import { Step } from "../model/step.ts"
import { defineTool, type Tool, type ToolAnnotations } from "../model/tool.ts"
import type { ToolOutput } from "../output/output.ts"
import { type EffectHandlerOptions, effectHandler } from "./effect-handler.ts"
import { fromPart } from "./model-output.ts"

type AiTools = Record<string, AiTool.Any>

/** The failure of a call of one of these tools. */
type FailureOf<Tools extends AiTools> = AiTool.FailureResult<Tools[keyof Tools]>

/** The options of `toolsOf`. */
export interface ToolkitToolsOptions<Failure = unknown> extends EffectHandlerOptions<Failure> {
  /** Which calls have a gate: those whose tool has `needsApproval` (default), or all. */
  readonly approval?: "declared" | "always"
}

type Handle<R> = (
  name: string,
  params: unknown,
  toolCallId: string,
) => Effect.Effect<Stream.Stream<AiTool.HandlerResult<AiTool.Any>, unknown, R>, unknown, R>

const annotationsOf = ({ annotations }: AiTool.Any): ToolAnnotations => ({
  readOnly: Context.get(annotations, AiTool.Readonly),
  destructive: Context.get(annotations, AiTool.Destructive),
  idempotent: Context.get(annotations, AiTool.Idempotent),
  openWorld: Context.get(annotations, AiTool.OpenWorld),
})

/** The tool's own schema, whose errors name the wrong value; a JSON Schema if the tool has none. */
const parametersOf = (tool: AiTool.Any): object =>
  AiTool.isDynamic(tool) && tool.jsonSchema !== undefined
    ? tool.jsonSchema
    : Schema.toStandardSchemaV1(Schema.toStandardJSONSchemaV1(tool.parametersSchema as Schema.Codec<unknown>))

const jsonOf = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""))

const outputOf = ({ encodedResult, modelOutput }: AiTool.HandlerResult<AiTool.Any>): string | ToolOutput => {
  if (modelOutput !== undefined) return { content: modelOutput.map(fromPart), details: encodedResult }
  if (encodedResult === undefined || typeof encodedResult === "string") return encodedResult ?? ""
  return { content: [{ type: "text", text: jsonOf(encodedResult) }], structured: encodedResult }
}

/** Adds the gate that the tool declares. A function that decides on the gate gets no messages: the executor has none. */
const gated = (tool: AiTool.Any, params: unknown, always: boolean): ToolPipeline => {
  const { needsApproval = false } = tool
  if (always || needsApproval === true) return pipeline().awaitApproval()
  if (needsApproval === false) return pipeline()
  return pipeline().andThen(
    handler("needs approval", ({ call }) => {
      const needed = needsApproval(params, { toolCallId: call.callId, messages: [] })
      const step = (isNeeded: boolean) => (isNeeded ? Step.AwaitApproval() : Step.Continue)
      return Effect.isEffect(needed) ? Effect.map(needed, step) : step(needed)
    }),
  )
}

const lastOf = Effect.fnUntraced(function* <R>(handle: Handle<R>, context: HandlerContext) {
  const { call } = context
  const results = yield* handle(call.name, call.params, call.callId)
  let step: Step = Step.Continue
  yield* Stream.runForEach(results, (result): Effect.Effect<void, unknown> => {
    if (result.preliminary) {
      return Effect.promise(() => context.delta(jsonOf(result.encodedResult), result.encodedResult))
    }
    if (result.isFailure) return Effect.fail(result.result)
    step = Step.Output(outputOf(result))
    return Effect.void
  })
  return step
})

/**
 * The tools of a Toolkit, for a registry. Their own schemas check the parameters, preliminary results are deltas, and a failure
 * ends the call as an Error with the text of `toModel`. Tools that the model's provider runs are left out. If a schema of
 * parameters needs services, it cannot be checked before the call, so every call is refused.
 *
 * @example
 * const layer = Layer.unwrap(
 *   Effect.map(toolsOf(toolkit), (tools) => ToolExecution.layer(new ToolRegistry(tools))),
 * ).pipe(Layer.provide(toolkit.toLayer({ forecast: ({ city }) => … })))
 */
export const toolsOf = <Tools extends AiTools, E, R>(
  toolkit: Effect.Effect<Toolkit.WithHandler<Tools>, E, R>,
  options: ToolkitToolsOptions<FailureOf<Tools>> = {},
): Effect.Effect<Array<Tool<Needs<AiTool.HandlerServices<Tools[keyof Tools]>>>>, E, R> =>
  Effect.map(toolkit, ({ tools, handle }) => {
    type Services = Needs<AiTool.HandlerServices<Tools[keyof Tools]>>
    const run = handle as unknown as Handle<Services>
    const toModel = options.toModel as EffectHandlerOptions<unknown>["toModel"]
    return Object.values(tools)
      .filter((tool) => !AiTool.isProviderDefined(tool) || tool.requiresHandler)
      .map((tool) => {
        const label = Context.getOption(tool.annotations, AiTool.Title)
        return defineTool<object, Services>({
          name: tool.name,
          ...(label._tag === "Some" && { label: label.value }),
          description: AiTool.getDescription(tool) ?? "",
          parameters: parametersOf(tool),
          annotations: annotationsOf(tool),
          compose: (params) =>
            gated(tool, params, options.approval === "always").andThen(
              effectHandler(tool.name, (context) => lastOf(run, context), { ...(toModel && { toModel }) }),
            ) as ToolPipeline<Services>,
        }) as Tool<Services>
      })
  })
