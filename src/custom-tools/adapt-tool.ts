/**
 * Makes a Tool from a foreign tool:
 *
 *   approval (unless it only reads, or the host says otherwise) ─▶ ExecuteTool
 */
import { pipeline, ToolPipeline } from "../model/pipeline.ts"
import { defineTool, type PrimaryKind, type Tool } from "../model/tool.ts"
import type { JsonSchema } from "../schema/json-schema.ts"
import { type CompiledParameters, compileParameters } from "../schema/validation.ts"
import { copyOf } from "./copy-of.ts"
import { type Execution, executeTool, failureText } from "./execute-tool.ts"
import type { ForeignTool, Runtime } from "./foreign-tool.ts"
import type { CustomToolHost } from "./host.ts"
import { runIsolated } from "./loading/isolation.ts"
import { type ParameterSchema, parameterSchema } from "./parameter-schema.ts"
import { quietly } from "./quietly.ts"
import { makeRenderers } from "./renderers.ts"
import { gateOf, saysReadOnly } from "./tool-approval.ts"

export interface AdaptToolOptions {
  readonly tool: ForeignTool
  readonly host: CustomToolHost
  readonly runtime: Runtime
  /** Calls the tool with the arguments in its runtime's order. */
  readonly execute: (execution: Execution) => unknown
}

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

const parsed =
  (execute: (execution: Execution) => unknown, parse: ParameterSchema["parse"]) => async (run: Execution) =>
    execute(parse === undefined ? run : { ...run, params: await parse(run.params) })

/** Throws a TypeError that names the tool if it cannot be offered to a model. */
export const adaptTool = ({ tool, host, runtime, execute }: AdaptToolOptions): Tool => {
  if (typeof (tool as { execute?: unknown } | undefined)?.execute !== "function") {
    throw new TypeError(
      `Expected a tool to have a function \`execute\`, got ${JSON.stringify(tool?.name)} without one`,
    )
  }
  const { name, label, description, parameters, hidden } = tool
  const { schema, parse } = parameterSchema(name, parameters, host.cwd ?? process.cwd())
  const { started, ...renderers } = makeRenderers(tool, host, runtime)
  const run = parsed(execute, parse)
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
      return start.andThen(executeTool({ name, host, params, execute: run }))
    },
    ...renderers,
  })
  return { ...adapted, validator: validatorOf(adapted, tool, runtime) }
}
