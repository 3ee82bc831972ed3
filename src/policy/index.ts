/// <reference types="node" preserve="true" />
/** `stepline/policy`: rules that approve or deny calls without asking. */
export type { Explanation, FilterDecision } from "./explanation.ts"
export { ToolFilters, type ToolFiltersOptions } from "./filters.ts"
export { type ClaudeSettingsOptions, importClaudeSettings } from "./import/claude-settings.ts"
export { importCodexRules } from "./import/codex-rules.ts"
export type { ImportedRule, ImportedRules } from "./import/imported.ts"
export type { RememberChoice } from "./remembering.ts"
export type { AllowRule, CallRule, PlacedRule, ToolFilterConfig, ToolRuleConfig } from "./rules.ts"
export type { FilteredTool } from "./subjects.ts"
