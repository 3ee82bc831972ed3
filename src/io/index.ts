export { isPublicAddress } from "./address.ts"
export type { AddressGuardOptions } from "./address-guard.ts"
export { PrivateAddressError } from "./address-guard.ts"
export type { BrowserOptions } from "./browser.ts"
export { Browser, localBrowser } from "./browser.ts"
export type { ChromiumOptions } from "./chromium.ts"
export type { CapturedOutput } from "./command-output.ts"
export { CommandOutput } from "./command-output.ts"
export type { AppendedCorrection, Correction, LoadCorrectionsOptions } from "./corrections.ts"
export { appendCorrection, correctionsFile, loadCorrections } from "./corrections.ts"
export type { LeftProcess } from "./end-processes.ts"
export type { EnvironmentRules } from "./environment.ts"
export { describeEnvironment, environmentFor, looksSecret } from "./environment.ts"
export { FetchError } from "./fetch-error.ts"
export type { FileInfo, Files, FolderEntry } from "./files.ts"
export { localFiles } from "./files.ts"
export type { Http, HttpRequest, HttpResponse } from "./http.ts"
export { localHttp } from "./http.ts"
export type { LineProblem, LineRange, LineSlice } from "./line-range.ts"
export { readLines } from "./line-range.ts"
export type { Machine } from "./machine.ts"
export { localMachine } from "./machine.ts"
export type { PageContent, PageReader, PageRequest } from "./page-reader.ts"
export type { ExtractedPage } from "./page-script.ts"
export type { OnOutput, OutputStream } from "./pipe-reader.ts"
export type {
  LocalProcessesOptions,
  ProcessExit,
  ProcessExit,
  Processes,
  Processes,
  ProcessOptions,
  ProcessOptions,
} from "./processes.ts"
export { localProcesses, localProcesses, makeLocalProcesses } from "./processes.ts"
export type { StagedChange, StagedContent, StagedRun, Staging } from "./staging.ts"
export type { SpawnHelperUse } from "./start-process.ts"
export { HeadAndTail, headOf, maxOutputBytes, tailOf } from "./truncation.ts"
