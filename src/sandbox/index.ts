/// <reference types="node" preserve="true" />

export { recoverStages } from "../io/staging/stage-folders.ts"
export { StagingError } from "../io/staging/staging-error.ts"
export { probeSandbox } from "./probe.ts"
export type { SandboxOptions } from "./sandbox-bounds.ts"
export { SandboxError } from "./sandbox-error.ts"
export type { PlaceRule } from "./sandbox-filters.ts"
export { sandboxFilters } from "./sandbox-filters.ts"
export type { SandboxedMachine, SandboxedMachineOptions } from "./sandboxed-machine.ts"
export { sandboxedMachine } from "./sandboxed-machine.ts"
export { stagingMachine } from "./staging-machine.ts"
