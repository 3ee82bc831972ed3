/** The types of a tool's calls, without the tool, so that events and results can be typed by it. */

/** A tool's name, the JSON of its parameters, and its structured output. Types only: `~types` never exists at run time. */
export interface ToolTypes<Name extends string = string, Input = unknown, Structured = unknown> {
  readonly name: Name
  readonly "~types"?: { readonly input: Input; readonly structured: Structured } | undefined
}

// biome-ignore lint/suspicious/noExplicitAny: the one type that both an executor of known tools and one of any fit.
type Any = any

/** Tools whose types are unknown. A parameter typed as an executor or a registry of these accepts any. */
export type AnyTools = Any

/** Only `any` extends both. */
type IsAny<T> = 0 extends 1 & T ? true : false

/**
 * The tool of this name among several; never, if the types do not determine it. A registry has one tool of a name, so others do
 * not count.
 */
export type NamedTool<T extends ToolTypes, Name extends string> = string extends Name
  ? never
  : IsAny<T> extends true
    ? never
    : Extract<T, { readonly name: Name }>

/** The JSON of a tool's parameters. */
export type ToolInput<T extends ToolTypes> = NonNullable<T["~types"]>["input"]

/** The type of a tool's `structured`. */
export type ToolStructured<T extends ToolTypes> = NonNullable<T["~types"]>["structured"]

/** The type of `structured` for the tool of this name, if the types determine it. */
export type StructuredOf<T extends ToolTypes, Name extends string> = [NamedTool<T, Name>] extends [never]
  ? unknown
  : ToolStructured<NamedTool<T, Name>>
