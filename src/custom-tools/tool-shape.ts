/** What every tool needs to be loaded, whichever agent it was written for. */
import type { AnyCustomTool } from "./custom-tool.ts"
import type { AnyToolDefinition } from "./extension.ts"

/** The runtime that a tool was written for. */
export type Runtime = "omp" | "pi"

/** A renderer with any arguments. */
type Renderer = (...parts: Array<never>) => unknown

export interface ForeignTool {
  readonly name: string
  readonly label?: unknown
  readonly description: unknown
  readonly parameters: unknown
  readonly hidden?: unknown
  readonly annotations?: unknown
  readonly approval?: unknown
  readonly formatApprovalDetails?: unknown
  readonly prepareArguments?: unknown
  readonly renderCall?: Renderer
  readonly renderResult?: Renderer
}

export type AnyTool = AnyCustomTool & AnyToolDefinition

const fields =
  "name label description parameters execute strict hidden deferrable annotations approval formatApprovalDetails onSession promptSnippet promptGuidelines prepareArguments executionMode renderCall renderResult"

/**
 * Reads a tool from a module; returns undefined for anything else. It is read once, here, under the guards for foreign code,
 * because its fields can be getters that throw, or return something else the next time. Methods keep their `this`.
 */
export const takeTool = (value: unknown): AnyTool | undefined => {
  if (typeof value !== "object" || value === null) return undefined
  try {
    const known = Object.fromEntries(
      fields
        .split(" ")
        .map((field) => [field, Reflect.get(value, field)] as const)
        .filter(([, part]) => part !== undefined)
        .map(([field, part]) => [field, typeof part === "function" ? part.bind(value) : part]),
    )
    const tool = { ...plainFields(value), ...known }
    return isTool(tool) ? tool : undefined
  } catch {
    return undefined
  }
}

/** The author's additional fields, without getters, which would run code. */
const plainFields = (value: object): object =>
  Object.fromEntries(
    Object.entries(Object.getOwnPropertyDescriptors(value))
      .filter(([, descriptor]) => descriptor.enumerable && "value" in descriptor)
      .map(([field, descriptor]) => [field, descriptor.value]),
  )

const isTool = (tool: object): tool is AnyTool => {
  const { name, description, parameters, execute } = tool as Partial<AnyTool>
  return (
    typeof name === "string" &&
    typeof description === "string" &&
    typeof parameters === "object" &&
    parameters !== null &&
    typeof execute === "function"
  )
}

export const invalidTool = (index: number): string =>
  `Tool factory returned invalid tool at index ${index}: expected object with string name, string description, parameters, and execute function`

/** The executor answers calls of `resolve` itself, even if a tool has that name. */
export const isTaken = (name: string): boolean => name === "resolve"

export const nameConflict = (name: string): string => `Tool name "${name}" conflicts with existing tool`
