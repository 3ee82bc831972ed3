/** The questions that are open, and how they are answered: each by whoever is first, here or elsewhere. */
import type { ToolExecutor } from "../../../pipeline/executor.ts"
import type { ApproveOptions, AwaitingApprovalEvent } from "../../../pipeline/model/event.ts"
import { textOf } from "../../../pipeline/model/output.ts"
import { resolveName } from "../../../resolve/definition.ts"
import { type NamedTool, ownPattern, rememberedChoices } from "../../terminal/remember-menu.ts"
import { isTold } from "../../terminal/render-gate.ts"
import type { QuestionDetail, RememberDetail } from "../state/detail.ts"
import { diffIn } from "./booked-call.ts"
import { bounded, jsonText } from "./bounded.ts"

/** Characters of each text that is shown to who decides: he is to see all that runs. */
const maxAsked = 2_000_000
/** Of the rules that one choice adds, which are seen before they are stored. */
const maxRules = 20_000

/** What is asked: a gate, or whether a call that is held may begin. */
export interface OpenQuestion {
  readonly id: string
  readonly callId: string
  readonly agentId: string
  readonly name: string
  readonly params: unknown
  /** Not there where the call is held. */
  readonly gate?: AwaitingApprovalEvent
  /** The name of the call, which may apply what another one staged. */
  readonly callName: string
}

/** What a page answers. */
export interface Answer {
  readonly verdict: "approve" | "deny"
  readonly options: ApproveOptions
}

const toldBy = (diff: string | undefined, params: unknown): ReadonlyArray<string> => {
  if (diff === undefined || typeof params !== "object" || params === null) return []
  return Object.entries(params).flatMap(([name, value]) => (isTold(value, diff) ? [name] : []))
}

/** The open questions by id. */
export class Questions {
  private readonly open = new Map<string, OpenQuestion>()
  private readonly executor: ToolExecutor

  constructor(executor: ToolExecutor) {
    this.executor = executor
  }

  add(question: OpenQuestion): void {
    this.open.set(question.id, question)
  }

  delete(id: string): boolean {
    return this.open.delete(id)
  }

  get(id: string): OpenQuestion | undefined {
    return this.open.get(id)
  }

  /** True if it took effect. */
  answer(id: string, { verdict, options }: Answer): boolean {
    const question = this.open.get(id)
    if (question === undefined) return false
    const { gate, callId } = question
    if (verdict === "approve") return gate ? gate.approve(options) : this.executor.approve(callId, options)
    return gate ? gate.deny(options.reason) : this.executor.deny(callId, options.reason)
  }

  detail({ id, name, agentId, params, gate, callId, callName }: OpenQuestion): QuestionDetail {
    const text = jsonText(params)
    const preview = gate?.preview === undefined ? "" : textOf(gate.preview)
    const diff = diffIn(preview, gate?.preview?.details)
    // What stands in the diff already is not told twice.
    const said = diff === undefined ? preview : preview.replace(diff, "").trim()
    const tool = this.executor.agent(agentId).tool(name)
    const schema = tool?.parameters
    const mayEdit = callName !== resolveName && schema !== undefined && text.length <= maxAsked
    return {
      id,
      params: bounded(text, maxAsked),
      isCut: [text, said, diff ?? ""].some(({ length }) => length > maxAsked),
      ...(mayEdit && { schema }),
      ...(said !== "" && { preview: bounded(said, maxAsked) }),
      ...(diff !== undefined && { diff: bounded(diff, maxAsked) }),
      told: toldBy(diff, params),
      ...(gate?.because !== undefined && { because: bounded(gate.because, 2_000) }),
      ...(gate?.person && { person: gate.person }),
      remember: gate === undefined ? [] : this.remember(callId, tool ?? { name }),
      pattern: gate === undefined ? "" : bounded(ownPattern(this.executor, callId), 4_000),
    }
  }

  /** What cannot be shown whole is none. */
  private remember(callId: string, tool: NamedTool): Array<RememberDetail> {
    return rememberedChoices(this.executor, callId, tool).filter(
      ({ rules }) => rules.join("\n").length <= maxRules,
    )
  }
}
