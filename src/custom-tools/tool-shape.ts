/** What every tool must have to be loaded, whichever agent it was written for. */
import type { AnyCustomTool } from "./custom-tool.ts"
import type { AnyToolDefinition } from "./extension.ts"

/** Whether the core can look further at what a module handed in. */
export const isTool = (value: unknown): value is AnyCustomTool & AnyToolDefinition => {
  if (typeof value !== "object" || value === null) return false
  const { name, description, parameters, execute } = value as Partial<
    Record<keyof AnyToolDefinition, unknown>
  >
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
