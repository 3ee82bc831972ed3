/** What the types of a tool say of its calls, without the tool: so that events and results can be typed by it. */

/** A tool's name, the JSON of its parameters, and its structured output. Types alone: `~types` is never there. */
export interface ToolTypes<Name extends string = string, Input = unknown, Structured = unknown> {
  readonly name: Name
  readonly "~types"?: { readonly input: Input; readonly structured: Structured } | undefined
}

/** The tool of this name among several; never, where the types do not tell. */
export type NamedTool<T extends ToolTypes, Name extends string> = string extends Name
  ? never
  : Extract<T, { readonly name: Name }>

/** The JSON of a tool's parameters. */
export type ToolInput<T extends ToolTypes> = NonNullable<T["~types"]>["input"]

/** What a tool's `structured` holds. */
export type ToolStructured<T extends ToolTypes> = NonNullable<T["~types"]>["structured"]
