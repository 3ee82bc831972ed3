/**
 * Tools that the client runs:
 *
 *   [awaitApproval] ─▶ Delegate HostTool { name, params } ─▶ the client's `respond`
 */

import { handler } from "../../model/handler.ts"
import { pipeline } from "../../model/pipeline.ts"
import type { ToolRegistry } from "../../model/registry.ts"
import { type DurationInput, Step } from "../../model/step.ts"
import { defineTool, type Tool, type ToolOptions } from "../../model/tool.ts"
import type { JsonSchema } from "../../schema/json-schema.ts"
import { messageOf } from "../../text/message-of.ts"
import { codes, RpcError } from "./json-rpc.ts"
import { Params } from "./params.ts"

/** The `_tag` of the effect that asks the client to run one of its own tools. */
export const hostToolTag = "HostTool"

const texts = ["label", "primaryParam", "primaryKind", "workingDirParam", "kind"] as const
const flags = ["background", "hidden"] as const
const records = ["annotations", "outputSchema"] as const

const known = ["name", "description", "parameters", "approval", "timeout", ...texts, ...flags, ...records]

/** The further options of a tool; `defineTool` checks their values. */
const optionsOf = (params: Params): Partial<ToolOptions<JsonSchema>> => {
  const options: Record<string, unknown> = {}
  for (const name of texts) if (params.has(name)) options[name] = params.text(name)
  for (const name of flags) if (params.has(name)) options[name] = params.flag(name)
  for (const name of records) if (params.has(name)) options[name] = params.record(name)
  return options
}

/** Throws an RpcError or a TypeError for an invalid definition. */
const hostTool = (definition: unknown): Tool => {
  if (typeof definition !== "object" || definition === null || Array.isArray(definition)) {
    throw new RpcError(codes.invalidParams, "Expected each of `tools` of `tools/define` to be an object.")
  }
  const params = new Params("tools/define", { ...definition }, known)
  const name = params.text("name")
  // The default is to ask, and the client's own work has no time limit.
  const asks = params.has("approval") ? params.flag("approval") : true
  const timeout = (params.raw("timeout") ?? "Infinity") as DurationInput
  const gate = asks ? pipeline().awaitApproval() : pipeline()
  return defineTool({
    ...optionsOf(params),
    name,
    description: params.text("description"),
    parameters: params.record("parameters"),
    compose: (values) =>
      gate.andThen(
        handler(hostToolTag, () => Step.Delegate({ _tag: hostToolTag, name, params: values }, { timeout })),
      ),
  }) as Tool
}

const toTool = (definition: unknown): Tool => {
  try {
    return hostTool(definition)
  } catch (error) {
    throw error instanceof RpcError ? error : new RpcError(codes.invalidParams, messageOf(error))
  }
}

/** The tools that a client has defined. */
export class HostTools {
  private readonly registry: ToolRegistry
  private readonly own = new Set<string>()

  constructor(registry: ToolRegistry) {
    this.registry = registry
  }

  /**
   * Registers all or none; they replace the client's tools of the same names. Throws an RpcError for the name of any other
   * tool.
   */
  define(definitions: ReadonlyArray<unknown>): Array<string> {
    const tools = definitions.map(toTool)
    for (const { name } of tools) {
      if (this.own.has(name) || this.registry.get(name) === undefined) continue
      const message = `There is a tool \`${name}\` already, which is not yours. Define yours under another name.`
      throw new RpcError(codes.invalidParams, message)
    }
    for (const tool of tools) {
      this.own.add(tool.name)
      this.registry.register(tool, { replace: true })
    }
    return tools.map(({ name }) => name)
  }
}
