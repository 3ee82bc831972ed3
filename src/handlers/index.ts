/// <reference types="node" preserve="true" />
export { abortable } from "./abortable.ts"
export type { SpawnAgentOptions } from "./agents.ts"
export { GetAgent, ListAgents, SpawnAgent } from "./agents.ts"
export type { EditDetails, EditOptions } from "./edit-file.ts"
export { ApplyEdits, ValidateEdits } from "./edit-file.ts"
export type { FetchHtmlDetails, FetchHtmlOptions } from "./fetch-html.ts"
export { FetchHtml } from "./fetch-html.ts"
export type { FetchUrlDetails, FetchUrlOptions } from "./fetch-url.ts"
export { FetchUrl } from "./fetch-url.ts"
export { FileChange } from "./file-change.ts"
export type { ChangedPath } from "./file-changes.ts"
export { changing, recordedChanges } from "./file-changes.ts"
export {
  IdeClosePreview,
  IdeOpen,
  IdeReloadBuffer,
  IdeShowDiffPreview,
  IdeShowPreview,
  ValidateNoUnsavedEdits,
} from "./ide.ts"
export type { ReadFileOptions } from "./read-file.ts"
export { ReadFile } from "./read-file.ts"
export type { RecordCorrectionDetails, RecordCorrectionOptions } from "./record-correction.ts"
export { RecordCorrection } from "./record-correction.ts"
export type { ShellDetails, ShellOptions } from "./shell.ts"
export { Shell } from "./shell.ts"
export type { StagedDetails, StagingMachine } from "./staged-shell.ts"
export { ApplyStaged, DropStaged, StageShell } from "./staged-shell.ts"
export { AwaitApproval, Delta, Fail, Output } from "./steps.ts"
export { ApplyReplacements } from "./structural-apply.ts"
export type { ReplacementDetails, StructuralEditOptions, StructuralOp } from "./structural-ops.ts"
export { ReplacementPlan } from "./structural-ops.ts"
export { PreviewReplacements } from "./structural-preview.ts"
export type { FileMatches, StructuralDetails } from "./structural-report.ts"
export type { ScanOptions, Structure } from "./structural-scan.ts"
export type { SearchOptions } from "./structural-search.ts"
export { SearchStructure } from "./structural-search.ts"
export {
  CancelBackgroundTask,
  GetBackgroundTask,
  ListBackgroundTasks,
  ReadBackgroundOutput,
  WaitBackgroundTask,
} from "./tasks.ts"
export type { FileTarget } from "./validate-file.ts"
export { ValidateFile, ValidateFileNotExists, ValidateFileWritable } from "./validate-file.ts"
export { ValidateUrl } from "./validate-url.ts"
export type { SearchApi, SearchResult, WebSearchDetails, WebSearchOptions } from "./web-search.ts"
export { ValidateSearchKey, WebSearch } from "./web-search.ts"
export type { WriteFileOptions } from "./write-file.ts"
export { WriteFile } from "./write-file.ts"
