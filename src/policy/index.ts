/// <reference types="node" preserve="true" />
/** What is approved or denied without asking. */
export type { Explanation, FilterDecision } from "./explanation.ts"
export { ToolFilters, type ToolFiltersOptions } from "./filters.ts"
export type { RememberChoice } from "./remembering.ts"
export type { AllowRule, CallRule, PlacedRule, ToolFilterConfig, ToolRuleConfig } from "./rules.ts"
export type { FilteredTool } from "./subjects.ts"
