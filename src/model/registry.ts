/** The tools of an executor by name. */

import type { JsonSchema } from "../schema/json-schema.ts"
import { objectSchema } from "../schema/object-schema.ts"
import { expectText, got } from "./got.ts"
import { tellAlone } from "./thenable.ts"
import type { Tool } from "./tool.ts"
import type { ToolDefinition } from "./tool-definition.ts"
import type { AnyTools, NamedTool, ToolTypes } from "./tool-types.ts"

const backgroundProperty = {
  type: "boolean",
  description: "Run in background. Returns immediately with a task_id.",
}

const propertiesOf = (schema: JsonSchema): Record<string, unknown> => {
  const { properties } = schema
  return typeof properties === "object" && properties !== null ? (properties as Record<string, unknown>) : {}
}

/** Whether the schema itself has a property `background`, which is then the tool's own parameter. */
export const ownsBackground = (tool: Pick<Tool, "parameters">): boolean =>
  Object.hasOwn(propertiesOf(tool.parameters), "background")

const definitionOf = (tool: Tool<unknown>): ToolDefinition => {
  const { name, description } = tool
  const parameters = objectSchema(tool.parameters)
  if (!tool.background || ownsBackground(tool)) return { name, description, parameters }
  const properties = { ...propertiesOf(parameters), background: backgroundProperty }
  return { name, description, parameters: { ...parameters, properties } }
}

/** How a tool is added. */
export interface RegisterOptions {
  readonly replace?: boolean
  readonly version?: string
}

const versionKey = ({ name, version }: Pick<Tool, "name" | "version">): string => `${name} ${version}`

/**
 * The tools that an executor can call, by name. `T` are the tools that the registry was created with, if their types have
 * literal names: they type the events, the results and `run` of the executor. Tools that are registered later run, but are
 * unknown to the types. If one of the tools can have any name, the events are untyped.
 */
export class ToolRegistry<R = never, T extends ToolTypes = AnyTools> implements Iterable<Tool<R>> {
  private readonly tools = new Map<string, Tool<R>>()
  /** Earlier versions, used only by stored calls. */
  private readonly earlier = new Map<string, Tool<R>>()
  private readonly listeners = new Set<() => void>()

  // `readonly []` makes TypeScript infer an array literal as a tuple: otherwise one tool of any name would hide the names of
  // the others.
  constructor(tools: Iterable<Tool<R> & T> | readonly [] = []) {
    for (const tool of tools) this.register(tool)
  }

  /**
   * Adds a tool. A second tool of the same name throws, unless `replace` is true, or both have versions and these differ: then
   * new calls run the tool that was added last, and stored calls continue with the version that they began with. `version`:
   * replaces the tool's own.
   */
  register(given: Tool<R>, { replace, version }: RegisterOptions = {}): this {
    expectText("version", version, " of `register`")
    const tool = version === undefined ? given : { ...given, version }
    if (typeof tool?.compose !== "function" || typeof tool.validator?.validate !== "function")
      throw new TypeError(`Expected a tool made by \`defineTool\`, ${got(tool)}`)
    const present = this.tools.get(tool.name)
    if (replace === true) this.forgetEarlier(tool.name)
    else if (present !== undefined) {
      if (this.get(tool.name, tool.version) !== undefined || present.version === undefined) {
        throw new Error(
          `A tool named \`${tool.name}\` is already registered. Pass \`{ replace: true }\` to replace it.`,
        )
      }
      this.earlier.set(versionKey(present), present)
    }
    this.tools.set(tool.name, tool)
    this.changed()
    return this
  }

  /**
   * Removes a tool with all its versions; calls of it that are already enqueued still run. Returns false if the registry
   * has no such tool.
   */
  unregister(name: string): boolean {
    this.forgetEarlier(name)
    const removed = this.tools.delete(name)
    if (removed) this.changed()
    return removed
  }

  /** Calls the listener whenever a tool is added, replaced or removed. Call the returned function to stop. */
  onChange(listener: () => void): () => void {
    // The same function may be added twice.
    const told = () => listener()
    this.listeners.add(told)
    return () => void this.listeners.delete(told)
  }

  private forgetEarlier(name: string): void {
    for (const [key, tool] of this.earlier) if (tool.name === name) this.earlier.delete(key)
  }

  private changed(): void {
    for (const listener of [...this.listeners]) tellAlone(listener)
  }

  /** `version`: by default, the one that new calls run. */
  get<const Name extends string>(
    name: Name,
    version?: string,
  ): ([NamedTool<T, Name>] extends [never] ? Tool<R> : NamedTool<T, Name>) | undefined {
    const last = this.tools.get(name)
    const isOther = version !== undefined && last?.version !== version
    const tool = isOther ? this.earlier.get(versionKey({ name, version })) : last
    return tool as (Tool<R> & NamedTool<T, Name>) | undefined
  }

  get names(): Array<string> {
    return [...this.tools.keys()]
  }

  [Symbol.iterator](): IterableIterator<Tool<R>> {
    return this.tools.values()
  }

  /** The definitions for the model: by default of all tools but hidden ones, otherwise of those that `isActive` accepts. */
  definitions(isActive: (tool: Tool<R>) => boolean = (tool) => !tool.hidden): Array<ToolDefinition> {
    const tools = [...this.tools.values()].filter(isActive)
    const definitions = tools.map(definitionOf)
    return tools.map(({ describe }, index) =>
      describe === undefined
        ? definitions[index]!
        : { ...definitions[index]!, description: describe(definitions) },
    )
  }
}
