/// <reference types="node" preserve="true" />
export { type EffectHandlerOptions, effectHandler, type FailingHandler, failureOf } from "./effect-handler.ts"
export { type ServicesOf, ToolExecution, type ToolExecutionService } from "./tool-execution.ts"
