/// <reference types="node" preserve="true" />
/** Code of a model that calls tools: each call in it is a call of the executor. */
export type { CodeLimits } from "./code-limits.ts"
export { type RunCodeOptions, runCodeTool } from "./run-code-tool.ts"
