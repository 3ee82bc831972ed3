/**
 * record_correction
 *
 *   RecordCorrection ─▶ "Correction recorded in .stepline/corrections.json"
 *
 * Writes only its own file, so it has no gate; filters may still deny it.
 */
import { Type } from "@sinclair/typebox"
import { RecordCorrection } from "../handlers/record-correction.ts"
import { maxCorrectionText } from "../io/corrections.ts"
import { pipeline } from "../model/pipeline.ts"
import { defineTool } from "../model/tool.ts"

/** The texts are inserted into prompts. */
const text = { pattern: "\\S", maxLength: maxCorrectionText }

/** `record_correction`: records what the user corrected, for later sessions. */
export const recordCorrectionTool = defineTool({
  name: "record_correction",
  label: "Record correction",
  description:
    "Records a mistake that was corrected, so that later sessions do not repeat it: when a first attempt failed, or the user corrected you, and another way worked.",
  parameters: Type.Object({
    goal: Type.String({ description: "What was to be achieved.", ...text }),
    failed_attempt: Type.String({ description: "What was tried, and how it failed.", ...text }),
    successful_approach: Type.String({ description: "What worked in the end.", ...text }),
  }),
  primaryParam: "goal",
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  compose: ({ goal, failed_attempt, successful_approach }) =>
    pipeline().andThen(
      RecordCorrection({ goal, failedAttempt: failed_attempt, successfulApproach: successful_approach }),
    ),
})
