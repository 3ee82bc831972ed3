export { HostEffectQueue } from "./hosts/effect-queue.ts"
export type { Notification, NotificationsOptions } from "./hosts/notifications.ts"
export { Notifications } from "./hosts/notifications.ts"
export type { HostQuestion } from "./hosts/waiting-questions.ts"
export type { CancelOptions } from "./pipeline/active-calls.ts"
export type { BackgroundTask, BackgroundTasks, TaskStatus } from "./pipeline/background-tasks.ts"
export type { ToolCall, ToolCallInput, ToolDecision } from "./pipeline/call.ts"
export type { CallInspection } from "./pipeline/call-inspection.ts"
export type {
  ActionPendingEvent,
  ActionResolvedEvent,
  ApproveOptions,
  AwaitingApprovalEvent,
  BackgroundCompletedEvent,
  BackgroundStartedEvent,
  CancelledEvent,
  CompletedEvent,
  DelegateEvent,
  DeltaEvent,
  DeniedBy,
  DeniedEvent,
  ErrorEvent,
  ErrorReason,
  FinalStatus,
  StartedEvent,
  TerminalEvent,
  ToolEvent,
  ToolResult,
} from "./pipeline/event.ts"
export type {
  ResolveCallOptions,
  ResolveRequest,
  SignalOption,
  ToolChoice,
} from "./pipeline/executor.ts"
export { ToolExecutor } from "./pipeline/executor.ts"
export type {
  CallingAgent,
  EffectHandler,
  HandlerContext,
  HandlerFunction,
  HandlerReturn,
  Resolution,
} from "./pipeline/handler.ts"
export { handler } from "./pipeline/handler.ts"
export type {
  BuiltInEffect,
  CustomEffect,
  EffectOf,
  HostEffect,
  Preview,
  TextEdit,
} from "./pipeline/host-effect.ts"
export { noIde } from "./pipeline/no-ide.ts"
export type {
  AfterCall,
  BeforeCall,
  CallFilter,
  DelegateCall,
  DelegateFunction,
  Delegates,
  FilteredTool,
  HookContext,
  Hooks,
  ToolExecutorOptions,
} from "./pipeline/options.ts"
export type { ImageContent, TextContent, ToolContent, ToolOutput } from "./pipeline/output.ts"
export { textOf, textOutput } from "./pipeline/output.ts"
export type {
  ActionFunction,
  ActionResult,
  PendingAction,
  PendingActions,
  PushedAction,
} from "./pipeline/pending-actions.ts"
export type {
  ApprovalOptions,
  FinallyPart,
  GatePart,
  HandlerPart,
  PartDescription,
  PipelinePart,
  ResolveOptions,
  ResolvePart,
} from "./pipeline/pipeline.ts"
export { pipeline, ToolPipeline } from "./pipeline/pipeline.ts"
export type { ToolDefinition } from "./pipeline/registry.ts"
export { ToolRegistry } from "./pipeline/registry.ts"
export type { StandingResolveHandler } from "./pipeline/resolver.ts"
export type { DurationInput } from "./pipeline/step.ts"
export { Step, ToolError } from "./pipeline/step.ts"
export type {
  JsonSchema,
  ParamsOf,
  PrimaryKind,
  RenderOptions,
  Tool,
  ToolAnnotations,
  ToolOptions,
} from "./pipeline/tool.ts"
export { defineTool } from "./pipeline/tool.ts"
export type { CompiledParameters, ParameterCheck } from "./pipeline/validation.ts"
export type { ToolFilterConfig } from "./policy/index.ts"
export { ToolFilters } from "./policy/index.ts"
export type { ResolveParams } from "./resolve/definition.ts"
export type { ResolveReminder } from "./resolve/reminder.ts"
export type { ResolveChoice, ToolChoiceMode } from "./resolve/tool-choice.ts"
