/** What is approved or denied without asking. */
export { type FilterDecision, type FilteredTool, ToolFilters, type ToolFiltersOptions } from "./filters.ts"
export type { ToolFilterConfig, ToolRuleConfig } from "./rules.ts"
