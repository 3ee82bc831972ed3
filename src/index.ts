/// <reference types="node" preserve="true" />
export type { DecisionLine, VerifiedLog } from "./hosts/decision-log.ts"
export {
  DecisionLog,
  type DecisionLogOptions,
  type VerifyLogOptions,
  verifyDecisionLog,
} from "./hosts/decision-log.ts"
export { HostEffectQueue } from "./hosts/effect-queue.ts"
export type { Notification, NotificationsOptions } from "./hosts/notifications.ts"
export { Notifications } from "./hosts/notifications.ts"
export type { HostQuestion } from "./hosts/waiting-questions.ts"
export type { Limit } from "./limits/limits.ts"
export type { CallOf, EnqueueOptions, ToolCall, ToolCallInput, ToolDecision } from "./model/call.ts"
export type {
  CallDecision,
  CancelledBy,
  DecidedBy,
  Decision,
  Review,
  Reviewer,
  ReviewQuestion,
} from "./model/decision.ts"
export type {
  ActionPendingEvent,
  ActionResolvedEvent,
  AnswerOptions,
  ApproveOptions,
  AwaitingApprovalEvent,
  BackgroundCompletedEvent,
  BackgroundStartedEvent,
  BoundedResult,
  CancelledEvent,
  CompletedEvent,
  DelegateEvent,
  DeltaEvent,
  DeniedBy,
  DeniedEvent,
  ErrorEvent,
  ErrorReason,
  FailureReason,
  FinalStatus,
  GateExpiringEvent,
  StartedEvent,
  TerminalEvent,
  ToolEvent,
  ToolResult,
} from "./model/event.ts"
export type { ApprovalOptions, Approvers, GatePart, GateTerms } from "./model/gate.ts"
export type {
  CallingAgent,
  CallMemory,
  EffectHandler,
  HandlerContext,
  HandlerFunction,
  HandlerReturn,
  NestedOptions,
  Resolution,
  RunTool,
} from "./model/handler.ts"
export { handler } from "./model/handler.ts"
export type {
  BuiltInEffect,
  CustomEffect,
  EffectOf,
  HostEffect,
  Preview,
  TextEdit,
} from "./model/host-effect.ts"
export { noIde } from "./model/no-ide.ts"
export type {
  AfterCall,
  BeforeCall,
  CallExplanation,
  CallFilter,
  DelegateCall,
  DelegateFunction,
  Delegates,
  FilteredTool,
  HookContext,
  Hooks,
  ToolExecutorOptions,
} from "./model/options.ts"
export type {
  ActionFunction,
  ActionResult,
  PendingAction,
  PendingActions,
  PushedAction,
} from "./model/pending-actions.ts"
export type {
  FinallyPart,
  HandlerPart,
  PartDescription,
  PipelinePart,
  ResolveOptions,
  ResolvePart,
} from "./model/pipeline.ts"
export { pipeline, ToolPipeline } from "./model/pipeline.ts"
export { ToolRegistry } from "./model/registry.ts"
export type { DurationInput } from "./model/step.ts"
export { type ErrorOptions, Step, ToolError } from "./model/step.ts"
export type {
  PrimaryKind,
  RenderOptions,
  Tool,
  ToolAnnotations,
  ToolKind,
  ToolOptions,
} from "./model/tool.ts"
export { defineTool } from "./model/tool.ts"
export type { ToolDefinition } from "./model/tool-definition.ts"
export type {
  AnyTools,
  NamedTool,
  StructuredOf,
  ToolInput,
  ToolStructured,
  ToolTypes,
} from "./model/tool-types.ts"
export type {
  AudioContent,
  ContentNotes,
  EmbeddedResource,
  ImageContent,
  ResourceContents,
  ResourceLink,
  TextContent,
  ToolContent,
} from "./output/content.ts"
export type { GivenOutput, ToolOutput } from "./output/output.ts"
export { textOf, textOutput } from "./output/output.ts"
export type { StandingResolveHandler } from "./pipeline/actions/resolver.ts"
export type { AgentTurn, SignalOption, ToolChoice, TurnCall } from "./pipeline/agent.ts"
export { ExecutorAgent } from "./pipeline/agent.ts"
export type { CancelOptions } from "./pipeline/call/calls.ts"
export type { CallDetails, CallInspection } from "./pipeline/call/inspection.ts"
export { runHandler } from "./pipeline/context/run-handler.ts"
export type { ResolveRequest } from "./pipeline/executor.ts"
export { ToolExecutor } from "./pipeline/executor.ts"
export type { AnswerOutcome, AskedGate, ListedAnswer } from "./pipeline/questions/answer-list.ts"
export { ToolFilters } from "./policy/filters.ts"
export type { AllowRule, CallRule, PlacedRule, RememberChoice, ToolFilterConfig } from "./policy/index.ts"
export type { ResolveParams } from "./resolve/definition.ts"
export type { ResolveReminder } from "./resolve/reminder.ts"
export type { ResolveChoice, ToolChoiceMode } from "./resolve/tool-choice.ts"
export type { JsonSchema } from "./schema/json-schema.ts"
export type { InputOf, ParamsOf } from "./schema/static-types.ts"
export type { CompiledParameters, ParameterCheck } from "./schema/validation.ts"
export type { CallSnapshot, StagedSnapshot } from "./snapshots/snapshot.ts"
export type { BackgroundTask, BackgroundTasks, TaskStatus } from "./tasks/background-tasks.ts"
export type { VisibleTextOptions } from "./text/visible-text.ts"
export { visibleText } from "./text/visible-text.ts"
export type { CallTrace, HandlerTrace, TracedTool, Tracer } from "./tracing/tracer.ts"
export type {
  CallChanges,
  ChangeKeeper,
  ChangeRecorder,
  ChangesFilter,
  ChangingCall,
  EarlierChanges,
  KeptChange,
  LeftChange,
  PathChange,
  PlanOptions,
  UndoPlan,
  UndoRequest,
} from "./undo/changes.ts"
export type { UndoBounds, UndoOptions } from "./undo/undo-options.ts"
export type { ExecutorWatcher } from "./watching/watcher.ts"
