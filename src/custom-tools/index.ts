/// <reference types="node" preserve="true" />

export type { FromPiToolOptions } from "./adapt-tool.ts"
export { fromCustomTool, fromPiTool } from "./adapt-tool.ts"
export type {
  AgentToolResult,
  AgentToolUpdate,
  AgentToolUpdateCallback,
  CustomTool,
  CustomToolAPI,
  CustomToolContext,
  CustomToolFactory,
  CustomToolPendingAction,
  RenderResultOptions,
} from "./custom-tool.ts"
export type { CustomToolOrigin, CustomToolsOptions } from "./custom-tools.ts"
export { CustomTools } from "./custom-tools.ts"
export type {
  EventBus,
  ExtensionAPI,
  ExtensionCommand,
  ExtensionCommandContext,
  ExtensionContext,
  ExtensionFactory,
  ExtensionFlag,
  ExtensionListener,
  McpServerConfig,
  RegisteredMcpServer,
  ToolDefinition,
  ToolInfo,
  ToolRenderContext,
} from "./extension.ts"
export type { CommandInfo, ExtensionRunner } from "./extensions/extension-runner.ts"
export type { ToolPort } from "./extensions/extension-tools.ts"
export type { LoadExtensionsOptions, LoadedExtensions } from "./extensions/load-extensions.ts"
export { loadExtensions } from "./extensions/load-extensions.ts"
export type { McpServers } from "./extensions/mcp-servers.ts"
export { fileLogger } from "./file-logger.ts"
export type { ApprovalSubject, ContextUsage, CustomToolHost, HostRequests, Logger } from "./host.ts"
export type {
  ArgumentOrder,
  LoadedCustomTool,
  LoadedCustomTools,
  LoadedExtensionTool,
  ToolLoadError,
  ToolPath,
  ToolSource,
} from "./loaded-tool.ts"
export { discoverAndLoadCustomTools, loadCustomTools } from "./loading/load-custom-tools.ts"
export type { LoadOptions } from "./loading/load-options.ts"
export { ModuleLoader, type ModuleLoaderOptions } from "./loading/module-loader.ts"
export type { StandInMode } from "./loading/resolve-module.ts"
export { MemorySession } from "./memory-session.ts"
export type { Exec, ExecOptions, ExecResult } from "./run-program.ts"
export type {
  ExtensionEvent,
  ExtensionEvents,
  SessionEvent,
  ToolCallAnswer,
  ToolCallEvent,
  ToolResultAnswer,
  ToolResultEvent,
} from "./session-events.ts"
export type { SessionEntry, SessionManager } from "./session-manager.ts"
export { withFileMutationQueue } from "./stand-ins/file-mutation-queue.ts"
export { createBashTool } from "./stand-ins/tool-factories/bash.ts"
export { createEditTool } from "./stand-ins/tool-factories/edit.ts"
export { createFindTool } from "./stand-ins/tool-factories/find.ts"
export { createGrepTool } from "./stand-ins/tool-factories/grep.ts"
export { createLsTool } from "./stand-ins/tool-factories/ls.ts"
export { createReadTool } from "./stand-ins/tool-factories/read.ts"
export { createWriteTool } from "./stand-ins/tool-factories/write.ts"
export type { TruncationOptions, TruncationResult } from "./stand-ins/truncation.ts"
export {
  DEFAULT_MAX_BYTES,
  DEFAULT_MAX_LINES,
  formatSize,
  truncateHead,
  truncateTail,
} from "./stand-ins/truncation.ts"
export { defineTool, StringEnum, Type } from "./stand-ins/typebox.ts"
export type { Theme } from "./theme.ts"
export { plainTheme } from "./theme.ts"
export type { Component, DialogOptions, UIContext } from "./ui-context.ts"
export { noOpUI } from "./ui-context.ts"
