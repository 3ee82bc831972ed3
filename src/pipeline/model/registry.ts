/** The tools of an executor by name. */

import type { JsonSchema } from "../../schema/json-schema.ts"
import { objectSchema } from "../../schema/object-schema.ts"
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

/** Whether the schema itself has a property `background`, which then means the tool's own. */
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
 * The tools that an executor can call, by name. `T` are those that it was made with, where their types tell their names: then
 * events, results and `run` of its executor are typed by them. What is registered later runs, but the types do not know it.
 * One tool of any name among them makes events those of any tool.
 */
export class ToolRegistry<R = never, T extends ToolTypes = AnyTools> implements Iterable<Tool<R>> {
  private readonly tools = new Map<string, Tool<R>>()
  /** Earlier versions, which only stored calls go on with. */
  private readonly earlier = new Map<string, Tool<R>>()
  private readonly listeners = new Set<() => void>()

  // `readonly []` has an array that is written here read as a tuple: else one tool of any name hides the names of the others.
  constructor(tools: Iterable<Tool<R> & T> | readonly [] = []) {
    for (const tool of tools) this.register(tool)
  }

  /**
   * Adds a tool. A second one of the same name throws, unless `replace` is true, or both have versions, and different ones: then calls
   * run the one that was added last, and stored calls that began with another one go on with that. `version`: instead of the tool's own.
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

  /** Removes a tool, all its versions; calls of it that were enqueued before still run. False if there is no such tool. */
  unregister(name: string): boolean {
    this.forgetEarlier(name)
    const removed = this.tools.delete(name)
    if (removed) this.changed()
    return removed
  }

  /** Calls the listener whenever a tool was added, replaced or removed, until the function that it gives is called. */
  onChange(listener: () => void): () => void {
    // One function may listen twice.
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

  /** `version`: default the one that calls run. */
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

  /** For the model: by default all tools but hidden ones, else those that `isActive` admits. */
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
