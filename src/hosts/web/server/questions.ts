/** The open questions, and the answers to them: the first answer counts, here or elsewhere. */

import type { AwaitingApprovalEvent } from "../../../model/event.ts"
import type { ToolExecutor } from "../../../pipeline/executor.ts"
import { resolveName } from "../../../resolve/definition.ts"
import { ownPattern, rememberedChoices } from "../../terminal/remember-menu.ts"
import type { QuestionDetail } from "../state/detail.ts"
import type { QuestionRow } from "../state/page-state.ts"
import { askedTexts, becauseHeld, whyAsked } from "./asked-texts.ts"
import { bounded } from "./bounded.ts"
import { peopleRow } from "./rows.ts"
import { ruleProblem } from "./rule-problem.ts"
import { type Answer, listed, noAnswer, type Took, tookOf, tooLate } from "./source.ts"

/** Maximum characters of the rules of one choice, which must be seen before they are stored. */
const maxRules = 20_000

/** A question: a gate, or whether a held call may begin. */
export interface OpenQuestion {
  readonly id: string
  readonly row: QuestionRow
  readonly callId: string
  readonly agentId: string
  readonly name: string
  readonly params: unknown
  /** Undefined if the call is held. */
  readonly gate?: AwaitingApprovalEvent
  /** The name of the call, which can apply another call's preview. */
  readonly callName: string
}

const untaken = { took: false, why: tooLate.message } as const

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

  /** Adds an approval that is not sufficient; returns the row to show then. */
  voted(id: string, by: string): QuestionRow | undefined {
    const question = this.open.get(id)
    const gate = question?.gate
    if (question === undefined || gate === undefined) return undefined
    const { approvedBy = [] } = gate
    const approved = approvedBy.includes(by) ? approvedBy : [...approvedBy, by]
    const voted = { ...gate, approvedBy: approved }
    const row = { ...question.row, ...peopleRow(voted) }
    this.open.set(id, { ...question, gate: voted, row })
    return row
  }

  delete(id: string): boolean {
    return this.open.delete(id)
  }

  get(id: string): OpenQuestion | undefined {
    return this.open.get(id)
  }

  /** Answers questions. A pattern that cannot be remembered approves nothing, because the person wants no further questions. */
  answer(ids: ReadonlyArray<string>, answer: Answer, by: string | undefined): Took {
    const asked = ids.flatMap((id) => this.open.get(id) ?? [])
    if (asked.length === 0) return tooLate
    if (answer.verdict === "respond") return noAnswer
    const { executor } = this
    const { remember, params } = answer.options
    for (const { callId } of answer.verdict === "approve" ? asked : []) {
      const fits = (rule: string) =>
        params !== undefined || executor.wouldRemember(callId, { rule }) !== undefined
      const message = ruleProblem(remember, fits)
      if (message !== undefined) return { took: false, message }
    }
    const list = asked.map(({ callId, gate }) => ({
      callId,
      ...listed(answer),
      ...(gate && { question: gate }),
    }))
    const outcomes = executor.answer(list, by === undefined ? undefined : { by })
    const missed = Array.from({ length: ids.length - asked.length }, () => untaken)
    return tookOf([...outcomes, ...missed])
  }

  detail({ id, name, agentId, params, gate, callId, callName }: OpenQuestion): QuestionDetail {
    const tool = this.executor.agent(agentId).tool(name)
    const schema = tool?.parameters
    const texts = askedTexts({ because: becauseHeld, ...gate, params })
    const mayEdit = callName !== resolveName && schema !== undefined && !texts.isCut
    // Omit choices whose rules cannot be shown in full.
    const remember = rememberedChoices(this.executor, callId, tool ?? { name }).filter(
      ({ rules }) => rules.join("\n").length <= maxRules,
    )
    return {
      id,
      ...texts,
      ...(mayEdit && { mayEdit, schema }),
      remember,
      ...(remember.length === 0 && { whyAsked: whyAsked(gate) }),
      pattern: gate === undefined ? "" : bounded(ownPattern(tool ?? { name }, params), 4_000),
    }
  }
}
