/** Keeps what an agent learned from a mistake for the prompts of later sessions. */
import { relative } from "node:path"
import { appendCorrection, correctionsFile } from "../io/corrections.ts"
import { localFiles } from "../io/files.ts"
import { textOutput } from "../output/output.ts"
import type { EffectHandler } from "../pipeline/model/handler.ts"
import { Step } from "../pipeline/model/step.ts"
import { fileHandler } from "./file-handler.ts"

/** What was learned. */
export interface RecordCorrectionOptions {
  readonly goal: string
  readonly failedAttempt: string
  readonly successfulApproach: string
}

/** The `details` of a correction that was recorded. */
export interface RecordCorrectionDetails {
  /** The number of corrections that are kept now. */
  readonly count: number
  /** Where the former file is kept, absolute, because it was damaged. */
  readonly damaged?: string
}

/**
 * Appends to `.stepline/corrections.json` under the executor's `cwd`. A damaged file is kept under another name, which
 * the output tells, and a new one is begun.
 */
export const RecordCorrection = (options: RecordCorrectionOptions): EffectHandler => {
  const record: Parameters<typeof fileHandler>[3] = async (location, { cwd }, signal) => {
    const { goal, failedAttempt, successfulApproach } = options
    const correction = { goal, failed_attempt: failedAttempt, successful_approach: successfulApproach }
    const appended: RecordCorrectionDetails = await appendCorrection(location.real, correction, signal)
    const { damaged } = appended
    const note =
      damaged === undefined
        ? ""
        : `\nThe file was damaged. It is kept as ${relative(cwd, damaged)}, and a new one was begun.`
    return Step.Output({
      ...textOutput(`Correction recorded in ${correctionsFile}${note}`),
      details: appended,
    })
  }
  return fileHandler("RecordCorrection", localFiles, correctionsFile, record, { retry: "never" })
}
