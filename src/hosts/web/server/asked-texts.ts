/**
 * The texts of a question, complete up to a limit: beyond it the question cannot be approved, because a person must see
 * everything that runs.
 */
import { type ToolOutput, textOf } from "../../../output/output.ts"
import { shownJson } from "../../shown-json.ts"
import { isTold } from "../../terminal/render-gate.ts"
import type { QuestionDetail } from "../state/detail.ts"
import { diffIn } from "./booked-call.ts"
import { bounded } from "./bounded.ts"

/** Characters of each text. */
const maxAsked = 2_000_000

/** Characters of the reason for a question. */
const maxBecause = 2_000

/** Why a held call asks. */
export const becauseHeld = "It is to be decided before it begins: nothing of it has run."

/** Why nothing can be remembered for a question at this gate, or for a held call. */
export const whyAsked = (gate: { readonly person?: true | undefined } | undefined): string => {
  if (gate === undefined) return "this asks whether the call may begin. Its gates ask further."
  if (gate.person) return "only a person may answer this, each time."
  return "no rule could approve this call again."
}

/** The subject of a question. */
export interface Asked {
  readonly params: unknown
  readonly preview?: ToolOutput | undefined
  readonly because?: string | undefined
  readonly person?: true | undefined
}

const toldBy = (diff: string | undefined, params: unknown): ReadonlyArray<string> => {
  if (diff === undefined || typeof params !== "object" || params === null) return []
  return Object.entries(params).flatMap(([name, value]) => (isTold(value, diff) ? [name] : []))
}

/** The texts of a question. */
export const askedTexts = ({ params, preview, because, person }: Asked) => {
  const text = shownJson(params, 2)
  const shown = preview === undefined ? "" : textOf(preview)
  const diff = diffIn(shown, preview?.details)
  // Text that the diff contains is not shown twice.
  const said = diff === undefined ? shown : shown.replace(diff, "").trim()
  return {
    params: bounded(text, maxAsked),
    isCut: [text, said, diff ?? ""].some(({ length }) => length > maxAsked),
    ...(said !== "" && { preview: bounded(said, maxAsked) }),
    ...(diff !== undefined && { diff: bounded(diff, maxAsked) }),
    told: toldBy(diff, params),
    ...(because !== undefined && { because: bounded(because, maxBecause) }),
    ...(person && { person }),
  } satisfies Partial<QuestionDetail>
}
