/** What the types of a tool say of its calls, without the tool: so that events and results can be typed by it. */

/** A tool's name, the JSON of its parameters, and its structured output. Types alone: `~types` is never there. */
export interface ToolTypes<Name extends string = string, Input = unknown, Structured = unknown> {
  readonly name: Name
  readonly "~types"?: { readonly input: Input; readonly structured: Structured } | undefined
}

// biome-ignore lint/suspicious/noExplicitAny: the one type that both an executor of known tools and one of any fit.
type Any = any

/** Tools that the types do not know. What takes an executor or a registry of these takes any. */
export type AnyTools = Any

/** Only `any` is both. */
type IsAny<T> = 0 extends 1 & T ? true : false

/** The tool of this name among several; never, where the types do not tell. A registry has one of a name, so others do not count. */
export type NamedTool<T extends ToolTypes, Name extends string> = string extends Name
  ? never
  : IsAny<T> extends true
    ? never
    : Extract<T, { readonly name: Name }>

/** The JSON of a tool's parameters. */
export type ToolInput<T extends ToolTypes> = NonNullable<T["~types"]>["input"]

/** What a tool's `structured` holds. */
export type ToolStructured<T extends ToolTypes> = NonNullable<T["~types"]>["structured"]

/** What the tool of this name gives as `structured`, where the types tell. */
export type StructuredOf<T extends ToolTypes, Name extends string> = [NamedTool<T, Name>] extends [never]
  ? unknown
  : ToolStructured<NamedTool<T, Name>>
