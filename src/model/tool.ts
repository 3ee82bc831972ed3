/** A tool: its definition for the model, and how a call of it becomes a pipeline. */
import type { JsonSchema } from "../schema/json-schema.ts"
import { compileOutput, type OutputCheck } from "../schema/output-check.ts"
import { type StandardCheck, standardCheck } from "../schema/standard-check.ts"
import { readSchema } from "../schema/standard-schema.ts"
import type { InputOf, ParamsOf } from "../schema/static-types.ts"
import { expectTextParameter } from "../schema/text-parameter.ts"
import { type CompiledParameters, compileParameters, preparing } from "../schema/validation.ts"
import type { ToolCall } from "./call.ts"
import { toMillis } from "./duration.ts"
import type { ToolResult } from "./event.ts"
import { got, toOutputBytes } from "./got.ts"
import type { CallMemory } from "./handler.ts"
import type { ToolPipeline } from "./pipeline.ts"
import type { DurationInput } from "./step.ts"
import { leaveAlone } from "./thenable.ts"
import type { ToolDefinition } from "./tool-definition.ts"
import { expectHints } from "./tool-hints.ts"
import type { ToolTypes } from "./tool-types.ts"

/** How filters match the primary parameter: a shell command line, a file path, or plain text. */
export type PrimaryKind = "command" | "path" | "text"

/** Hints for hosts and policies, as the Model Context Protocol names them. They guarantee nothing. */
export interface ToolAnnotations {
  readonly readOnly?: boolean
  readonly destructive?: boolean
  readonly idempotent?: boolean
  readonly openWorld?: boolean
}

/** What a tool does, for hosts that show it, as the Agent Client Protocol names it. */
export type ToolKind =
  | "read"
  | "edit"
  | "delete"
  | "move"
  | "search"
  | "execute"
  | "think"
  | "fetch"
  | "other"

/** The options of a tool's renderer. */
export interface RenderOptions {
  /** The width of the screen in columns. */
  readonly width: number
  /** Whether the user asked to see everything. */
  readonly expanded: boolean
  /** Whether the result holds only the text that a running call has streamed so far. Default false. */
  readonly isPartial?: boolean
}

/** The input of `defineTool`. `S` is the schema of the parameters, `R` the services that handlers need. */
export interface ToolOptions<
  S extends object,
  R = never,
  Name extends string = string,
  O extends object = never,
> {
  /** `^[a-zA-Z0-9_-]{1,64}$`, as every model provider accepts. */
  readonly name: Name
  /**
   * The version of the tool's code, such as `"2"`. A stored call or preview of a tool with a version continues only with that
   * version; without one, with any pipeline whose parts have the same kinds and names.
   */
  readonly version?: string
  /** The name for people. Default: `name`. */
  readonly label?: string
  /** Shown to the model. */
  readonly description: string
  /**
   * TypeBox, `typebox` 1, a JSON Schema, or a Standard Schema that provides its JSON Schema, such as zod 4, ArkType, Valibot
   * with `toStandardJsonSchema`, or Effect's. Rules, hosts and events see the input JSON of a Standard Schema, `compose` gets
   * its output, and the model reads its messages.
   */
  readonly parameters: S
  /** The parameter that filters match: a string in `parameters`. Without this and without `paths`, filters match `""`. */
  readonly primaryParam?: string
  /** Default `"text"`. */
  readonly primaryKind?: PrimaryKind
  /**
   * The files, folders and globs that a call names, if a single primary parameter is not enough: filters match each as a
   * path. A handler that finds files in folders calls `context.denies(path)` before it reads one. `memory` is the value of
   * `context.memory` at a gate: a tool that has found its files by then returns them, and rules decide on them.
   */
  readonly paths?: (params: InputOf<S>, memory?: CallMemory) => ReadonlyArray<string>
  /** The string parameter with the folder in which the call works. Allow rules apply in another folder only if they name it. */
  readonly workingDirParam?: string
  /** More names under which rules can refer to the tool, such as `mcp__SERVER__TOOL`. Default: none. */
  readonly ruleNames?: ReadonlyArray<string>
  /** Whether calls may run in the background. Default true. */
  readonly background?: boolean
  /**
   * How many processes may end while one of the tool's handlers runs before a durable call ends as an Error (`poisoned`).
   * Default: the store's, which is 3.
   */
  readonly maxAttempts?: number
  /**
   * A text that identifies the effect of a call, such as an order number; undefined for a call without one. One of the calls with
   * the same key, of all agents, runs: the others wait for its end and return its result (`deduplicated`). A call that failed,
   * was denied or cancelled, or staged a preview provides no result for others. A throw, an empty text, or any other value ends
   * the call as an Error.
   */
  readonly idempotencyKey?: (params: InputOf<S>) => string | undefined
  /** How long a result is returned for calls with its key. Default 24 hours. */
  readonly idempotencyTtl?: DurationInput
  /**
   * The largest result that the model receives, in bytes of UTF-8, whatever the executor's option is; `false` for no limit.
   * Default: the executor's.
   */
  readonly maxOutputBytes?: number | false
  /** Whether the tool limits its outputs itself: then the executor's default does not cut them. Default false. */
  readonly cutsOutput?: boolean
  /**
   * Builds the description, if it depends on the other tools that the model sees: called for each list of definitions, with the
   * other definitions. Default: `description`.
   */
  readonly describe?: (tools: ReadonlyArray<ToolDefinition>) => string
  /** Left out of definitions unless the host activates it. Default false. */
  readonly hidden?: boolean
  readonly annotations?: ToolAnnotations
  /** Default `"other"`. */
  readonly kind?: ToolKind
  /** Names a call for people, on one line. Anything but a string, or a throw, means the default: label and primary parameter. */
  readonly title?: (params: InputOf<S>) => string
  /**
   * Rewrites the model's parameters before they are validated, for tools whose schema has changed. A throw makes the call
   * Invalid.
   */
  readonly prepareParams?: (params: unknown) => unknown
  /**
   * The schema of `structured` in the output of a completed call, of the same kinds as `parameters`; it describes the input
   * JSON. A call whose `structured` is missing or invalid ends as an Error that includes its output. Previews need no
   * `structured`, and the output of `resolve` when it applies one is not checked.
   */
  readonly outputSchema?: O | undefined
  /** Composes the pipeline. Pure: reads only its arguments. `params` are validated. */
  readonly compose: (params: ParamsOf<S>, call: ToolCall) => ToolPipeline<R>
  /** Draws a call. Anything but a string, or a throw, means the default rendering. */
  readonly renderCall?: (params: InputOf<S>, options: RenderOptions) => string | undefined
  /** Draws a result. Anything but a string, or a throw, means the default rendering. */
  readonly renderResult?: (
    result: ToolResult,
    options: RenderOptions,
    params: InputOf<S>,
  ) => string | undefined
}

/** A tool with its defaults filled in. Made by `defineTool`. `Input` is the JSON of its parameters. */
export interface Tool<R = never, Name extends string = string, Input = unknown, Structured = unknown>
  extends ToolTypes<Name, Input, Structured> {
  readonly version?: string
  readonly label: string
  readonly description: string
  readonly parameters: JsonSchema
  readonly primaryParam: string | undefined
  readonly primaryKind: PrimaryKind
  readonly paths?: (params: unknown, memory?: CallMemory) => ReadonlyArray<string>
  readonly workingDirParam?: string
  readonly ruleNames?: ReadonlyArray<string>
  readonly background: boolean
  readonly maxAttempts?: number
  readonly idempotencyKey?: (params: unknown) => unknown
  /** Milliseconds. */
  readonly idempotencyTtl?: number
  /** `Infinity` for no limit. */
  readonly maxOutputBytes?: number
  readonly cutsOutput?: true
  readonly describe?: (tools: ReadonlyArray<ToolDefinition>) => string
  readonly hidden: boolean
  readonly annotations: ToolAnnotations
  readonly kind: ToolKind
  /** The JSON Schema of `structured`. */
  readonly outputSchema?: JsonSchema
  /** Checks `structured`; compiled on the first call that completes. */
  readonly outputCheck?: OutputCheck
  /** Names a call with these parameters for people, on one line. Never throws. */
  title(params: unknown): string
  /** Composes the pipeline from validated parameters. */
  compose(params: Input, call: ToolCall): ToolPipeline<R>
  readonly renderCall?: (params: unknown, options: RenderOptions) => string | undefined
  readonly renderResult?: (result: ToolResult, options: RenderOptions, params: unknown) => string | undefined
  /** The parameters' validator; compiled on the first call. */
  readonly validator: CompiledParameters
}

const kinds: ReadonlySet<unknown> = new Set<ToolKind>([
  "read",
  "edit",
  "delete",
  "move",
  "search",
  "execute",
  "think",
  "fetch",
  "other",
])

const primaryKinds: ReadonlySet<unknown> = new Set<PrimaryKind>(["command", "path", "text"])

/** Throws a TypeError for a value that is not in the list. */
const expectOneOf = (name: string, option: string, value: unknown, known: ReadonlySet<unknown>): void => {
  if (value === undefined || known.has(value)) return
  throw new TypeError(
    `Expected \`${option}\` of tool \`${name}\` to be one of ${[...known].join(", ")}, ${got(value)}`,
  )
}

const oneLine = (text: string): string => text.trim().replace(/\s+/g, " ")

const titleOf =
  (label: string, primaryParam: string | undefined, title: ((params: unknown) => string) | undefined) =>
  (params: unknown): string => {
    try {
      const own: unknown = title?.(params)
      if (typeof own === "string" && own.trim() !== "") return oneLine(own)
      leaveAlone(own)
    } catch {
      // The default is also a title.
    }
    try {
      const primary =
        primaryParam === undefined ? undefined : (params as Record<string, unknown> | null)?.[primaryParam]
      return typeof primary === "string" && primary.trim() !== "" ? oneLine(`${label}: ${primary}`) : label
    } catch {
      return label
    }
  }

/** Wraps `compose` so that it receives the output of a schema that transforms its parameters. */
const composing = <R>(compose: Tool<R>["compose"], own: StandardCheck | undefined): Tool<R>["compose"] =>
  own === undefined ? compose : (params, call) => compose(own.outputOf(params), call)

type StructuredBy<O> = [O] extends [never] ? unknown : InputOf<O>

const outputOf = (name: string, schema: unknown): Pick<Tool, "outputSchema" | "outputCheck"> => {
  if (schema === undefined) return {}
  const { json, validate } = readSchema(schema, `\`outputSchema\` of tool \`${name}\``)
  return { outputSchema: json, outputCheck: compileOutput(json, validate) }
}

/**
 * Throws for functions that cannot return a pipeline. One that a compiler has turned into a plain function is detected
 * when it is called.
 */
const expectPlainFunction = (name: string, compose: unknown): void => {
  const [, kind] =
    /^\[object (Async|AsyncGenerator|Generator)Function\]$/.exec(Object.prototype.toString.call(compose)) ??
    []
  if (kind === undefined) return
  throw new TypeError(
    `Expected \`compose\` of tool \`${name}\` to be a plain function that returns a pipeline, got ${kind === "Async" ? "an async function" : "a generator function"}. Do what takes time in a handler of the pipeline`,
  )
}

type ToolFunctions<R> = Pick<
  Tool<R>,
  "compose" | "paths" | "renderCall" | "renderResult" | "idempotencyKey"
> &
  Partial<Pick<Tool<R>, "title">>

const oneDay = 86_400_000

const namePattern = /^[a-zA-Z0-9_-]{1,64}$/

/**
 * Makes a Tool. Throws a TypeError for a name that model providers refuse, for parameters without a JSON Schema of an
 * object, and for a `primaryParam` or `workingDirParam` that is not a string parameter.
 *
 * @example
 * defineTool({
 *   name: "greet",
 *   description: "Greets somebody.",
 *   parameters: Type.Object({ who: Type.String() }),
 *   compose: ({ who }) => pipeline().andThen(() => Step.Output(`hello ${who}`)),
 * })
 */
export const defineTool = <
  const S extends object,
  R = never,
  const Name extends string = string,
  const O extends object = never,
>(
  options: ToolOptions<S, R, Name, O>,
): Tool<R, Name, InputOf<S>, StructuredBy<O>> => {
  const { name } = options
  if (typeof name !== "string" || !namePattern.test(name)) {
    throw new TypeError(
      `Expected a tool's name to be 1 to 64 letters, digits, \`_\` or \`-\`, got ${JSON.stringify(name)}`,
    )
  }
  const { json: parameters, validate } = readSchema(options.parameters, `\`parameters\` of tool \`${name}\``)
  if (parameters.type !== undefined && ![parameters.type].flat().includes("object")) {
    throw new TypeError(`Expected \`parameters\` of tool \`${name}\` to be the schema of an object`)
  }
  if (typeof options.description !== "string") {
    throw new TypeError(
      `Expected \`description\` of tool \`${name}\` to be a string, ${got(options.description)}`,
    )
  }
  if (typeof options.compose !== "function") {
    throw new TypeError(`Expected \`compose\` of tool \`${name}\` to be a function`)
  }
  expectPlainFunction(name, options.compose)
  expectHints(name, options)
  const idempotencyTtl =
    options.idempotencyTtl === undefined ? oneDay : toMillis("idempotencyTtl", options.idempotencyTtl)
  const maxOutputBytes = toOutputBytes(options.maxOutputBytes, ` of tool \`${name}\``)
  const { primaryParam, workingDirParam, prepareParams } = options
  if (primaryParam !== undefined) expectTextParameter({ name, parameters }, "primaryParam", primaryParam)
  if (workingDirParam !== undefined)
    expectTextParameter({ name, parameters }, "workingDirParam", workingDirParam)
  expectOneOf(name, "kind", options.kind, kinds)
  expectOneOf(name, "primaryKind", options.primaryKind, primaryKinds)
  const own = validate && standardCheck(name, validate)
  const validator = compileParameters(name, parameters, own?.check)
  const label = options.label ?? name
  // Called with validated parameters, so their types hold.
  const { compose, title, paths, renderCall, renderResult, idempotencyKey } =
    options as unknown as ToolFunctions<R>
  return {
    name,
    ...(options.version !== undefined && { version: options.version }),
    label,
    description: options.description,
    parameters,
    primaryParam,
    primaryKind: options.primaryKind ?? "text",
    ...(paths && { paths }),
    ...(workingDirParam !== undefined && { workingDirParam }),
    ...(options.ruleNames !== undefined && { ruleNames: options.ruleNames }),
    background: options.background ?? true,
    ...(options.maxAttempts !== undefined && { maxAttempts: options.maxAttempts }),
    ...(idempotencyKey && { idempotencyKey, idempotencyTtl }),
    ...(maxOutputBytes !== undefined && { maxOutputBytes }),
    ...(options.cutsOutput === true && { cutsOutput: true as const }),
    ...(options.describe && { describe: options.describe }),
    hidden: options.hidden ?? false,
    annotations: options.annotations ?? {},
    kind: options.kind ?? "other",
    ...outputOf(name, options.outputSchema),
    title: titleOf(label, primaryParam, title),
    compose: composing(compose, own),
    ...(renderCall && { renderCall }),
    ...(renderResult && { renderResult }),
    validator: prepareParams ? preparing(name, prepareParams, validator) : validator,
  }
}
