/**
 * Makes a Tool from a foreign tool:
 *
 *   approval (unless it only reads, or the host says otherwise) ─▶ ExecuteTool
 */
import { pipeline, ToolPipeline } from "../model/pipeline.ts"
import { defineTool, type PrimaryKind, type Tool } from "../model/tool.ts"
import type { JsonSchema } from "../schema/json-schema.ts"
import { type CompiledParameters, compileParameters } from "../schema/validation.ts"
import { contextOf } from "./contexts.ts"
import type { AnyCustomTool } from "./custom-tool.ts"
import { type Execution, executeTool, failureText } from "./execute-tool.ts"
import type { AnyToolDefinition } from "./extension.ts"
import type { CustomToolHost } from "./host.ts"
import type { ArgumentOrder } from "./loaded-tool.ts"
import { copyOf, quietly, runIsolated } from "./loading/isolation.ts"
import { type ParameterSchema, parameterSchema } from "./parameter-schema.ts"
import { makeRenderers } from "./renderers.ts"
import { gateOf, saysReadOnly } from "./tool-approval.ts"
import type { AnyTool, ForeignTool, Runtime } from "./tool-shape.ts"

/**
 * Foreign tools declare no primary parameter. It is found by name, so that the rules for a built-in tool also apply to its
 * replacement.
 */
const primaryParams: ReadonlyArray<readonly [string, PrimaryKind]> = [
  ["command", "command"],
  ["path", "path"],
  ["file_path", "path"],
]

/** The folder of a command, on which its meaning depends, is also found by name. */
const workingDirParams = ["cwd", "working_dir", "workdir", "working_directory"]

const primaryOf = ({ properties }: JsonSchema) => {
  const isText = (name: string) =>
    (properties as Record<string, { type?: unknown } | undefined> | undefined)?.[name]?.type === "string"
  const [primaryParam, primaryKind] = primaryParams.find(([name]) => isText(name)) ?? []
  const workingDirParam = primaryKind === "command" ? workingDirParams.find(isText) : undefined
  return {
    ...(primaryParam !== undefined && { primaryParam, primaryKind }),
    ...(workingDirParam !== undefined && { workingDirParam }),
  }
}

/** pi does not apply a schema's defaults, oh-my-pi does. An error of `prepareArguments` is the whole message for the model. */
const validatorOf = (
  { name, parameters, validator }: Tool,
  tool: ForeignTool,
  runtime: Runtime,
): CompiledParameters => {
  const { compile, validate } =
    runtime === "pi" ? compileParameters(name, parameters, undefined, false) : validator
  if (typeof tool.prepareArguments !== "function") return { compile, validate }
  const { prepareArguments } = tool as { prepareArguments(params: unknown): unknown }
  const prepare = (params: unknown) => {
    try {
      return { params: quietly(prepareArguments.call(tool, copyOf(params))) }
    } catch (error) {
      return { failure: failureText(name, error) }
    }
  }
  return {
    compile,
    validate: (received) => {
      const { params, failure } = runIsolated(name, () => prepare(received))
      return failure === undefined ? validate(params) : { _tag: "Invalid", message: failure }
    },
  }
}

/** Calls a tool, after its own library has parsed the parameters. oh-my-pi has the order of arguments that pi once had. */
export const callerOf =
  (
    tool: AnyTool,
    host: CustomToolHost,
    order: ArgumentOrder | undefined,
    parse: ParameterSchema["parse"],
  ): ((execution: Execution) => Promise<unknown>) =>
  async ({ params, call, onUpdate, cwd }) => {
    const parsed = parse === undefined ? params : await parse(params)
    const ctx = contextOf(host, call, cwd)
    const { callId, signal } = call
    return order === "legacy"
      ? (tool as AnyCustomTool).execute(callId, parsed, onUpdate, ctx, signal)
      : (tool as AnyToolDefinition).execute(callId, parsed, signal, onUpdate, ctx)
  }

/** Throws a TypeError that names the tool if it cannot be offered to a model. */
const adaptTool = (
  tool: AnyCustomTool | AnyToolDefinition,
  host: CustomToolHost,
  runtime: Runtime,
  order: ArgumentOrder | undefined,
): Tool => {
  if (typeof (tool as { execute?: unknown } | undefined)?.execute !== "function") {
    throw new TypeError(
      `Expected a tool to have a function \`execute\`, got ${JSON.stringify(tool?.name)} without one`,
    )
  }
  const { name, label, description, parameters, hidden } = tool as ForeignTool
  const { schema, parse } = parameterSchema(name, parameters, host.cwd ?? process.cwd())
  const { started, ...renderers } = makeRenderers(tool, host, runtime)
  const run = callerOf(tool as AnyTool, host, order, parse)
  const adapted = defineTool<JsonSchema>({
    name,
    ...(typeof label === "string" && label !== "" && { label }),
    description: typeof description === "string" ? description : "",
    parameters: schema,
    ...primaryOf(schema ?? {}),
    hidden: hidden === true,
    annotations: { readOnly: saysReadOnly(tool) },
    compose: (params, { callId }) => {
      started(params, callId)
      const gate = gateOf(tool, host, params)
      if (gate._tag === "Refuse") return ToolPipeline.error(gate.reason)
      const start = gate._tag === "Ask" ? pipeline().awaitApproval(gate) : pipeline()
      return start.andThen(executeTool(name, host, params, run))
    },
    ...renderers,
  })
  return { ...adapted, validator: validatorOf(adapted, tool, runtime) }
}

/**
 * Makes a Tool that calls `execute(callId, params, onUpdate, ctx, signal)` once it is approved. A tool that declares itself
 * read-only needs no approval, unless `host.approval` requires one.
 *
 * - An update becomes a `Delta`: its new text is the content, the whole update `partial`.
 * - A thrown error becomes the call's Error, and so does a result with `isError`, whose content and details are kept.
 * - Everything after a cancel or a time-out is dropped; a tool that ignores them is abandoned.
 * - `details` are converted to plain JSON.
 *
 * Throws a TypeError for a name that model providers refuse, and for parameters without a JSON Schema.
 */
export const fromCustomTool = (tool: AnyCustomTool, host: CustomToolHost = {}): Tool =>
  adaptTool(tool, host, "omp", "legacy")

/** The options of `fromPiTool`. */
export interface FromPiToolOptions {
  /** Default `"current"`. */
  readonly argumentOrder?: ArgumentOrder
}

/**
 * Makes a Tool that calls `execute(callId, params, signal, onUpdate, ctx)`, or, if `argumentOrder` is `"legacy"`,
 * `(callId, params, onUpdate, ctx, signal)`. Everything else is as in `fromCustomTool`.
 *
 * Throws a TypeError for a name that model providers refuse, and for parameters without a JSON Schema.
 */
export const fromPiTool = (
  tool: AnyToolDefinition,
  host: CustomToolHost = {},
  { argumentOrder }: FromPiToolOptions = {},
): Tool => adaptTool(tool, host, "pi", argumentOrder)
