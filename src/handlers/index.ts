export { abortable } from "./abortable.ts"
export type { EditDetails, EditOptions } from "./edit-file.ts"
export { ApplyEdits, ValidateEdits } from "./edit-file.ts"
export { FileChange } from "./file-change.ts"
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
export type { ShellDetails, ShellOptions } from "./shell.ts"
export { Shell } from "./shell.ts"
export { AwaitApproval, Delta, Fail, Output } from "./steps.ts"
export { GetBackgroundTask, ListBackgroundTasks } from "./tasks.ts"
export type { FileTarget } from "./validate-file.ts"
export { ValidateFile, ValidateFileNotExists, ValidateFileWritable } from "./validate-file.ts"
export type { WriteFileOptions } from "./write-file.ts"
export { WriteFile } from "./write-file.ts"
