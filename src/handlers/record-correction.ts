/** Stores what an agent learned from a mistake, for the prompts of later sessions. */
import { relative } from "node:path"
import { appendCorrection, correctionsFile } from "../io/corrections.ts"
import { localFiles } from "../io/files.ts"
import type { EffectHandler } from "../model/handler.ts"
import { Step } from "../model/step.ts"
import { textOutput } from "../output/output.ts"
import { fileHandler } from "./file-handler.ts"

/** The correction to record. */
export interface RecordCorrectionOptions {
  readonly goal: string
  readonly failedAttempt: string
  readonly successfulApproach: string
}

/** The `details` of a recorded correction. */
export interface RecordCorrectionDetails {
  /** The number of corrections in the file now. */
  readonly count: number
  /** Where the former file was moved, absolute, because it was damaged. */
  readonly damaged?: string
}

/**
 * Appends to `.stepline/corrections.json` under the executor's `cwd`. A damaged file is renamed to a name that the output
 * states, and a new one is started.
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
