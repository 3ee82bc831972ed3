/// <reference types="node" preserve="true" />
export { type EffectHandlerOptions, effectHandler, type FailingHandler, failureOf } from "./effect-handler.ts"
export {
  type ExecutorTool,
  type ExecutorTools,
  type ToolkitHandlersOptions,
  ToolSuccess,
  toolkitHandlers,
  toToolkit,
} from "./registry-toolkit.ts"
export { type ServicesOf, ToolExecution, type ToolExecutionService } from "./tool-execution.ts"
export { type ToolkitToolsOptions, toolsOf } from "./toolkit-tools.ts"
