/**
 * The calls that an SDK's agent loop makes for one agent: decided before they run, approved by the SDK's own means or at
 * their gates, told apart by turns. What the SDKs have in common.
 */
import { createHash } from "node:crypto"
import type { ToolContent } from "../../output/content.ts"
import type { AgentTurn, ExecutorAgent, ToolChoice } from "../../pipeline/agent.ts"
import type { ToolExecutor } from "../../pipeline/executor.ts"
import type { CallDecision } from "../../pipeline/model/decision.ts"
import type {
  AwaitingApprovalEvent,
  DelegateEvent,
  ToolEvent,
  ToolResult,
} from "../../pipeline/model/event.ts"
import { got } from "../../pipeline/model/got.ts"
import { resolveName } from "../../resolve/definition.ts"
import { shownJson } from "../shown-json.ts"
import { calledOnce } from "./called-once.ts"
import { FirstAnswer } from "./first-answer.ts"

/** A question that a call asks while it runs: answer it, now or later. */
export type LoopQuestion = AwaitingApprovalEvent | DelegateEvent

/** Who calls, and who is asked. */
export interface AgentLoopOptions {
  /** Default `"main"`. */
  readonly agentId?: string
  /** Asked at gates that the SDK's approval was not for, and for effects. Without it these are denied, and effects fail. */
  readonly onQuestion?: (question: LoopQuestion) => unknown
  /** Told all else: what a call streams, what becomes of background tasks and previews. */
  readonly onEvent?: (event: ToolEvent) => unknown
  /**
   * Who decides about a call that has a gate. `"before"`, the default: whoever answers the SDK's approvals, before anything of
   * it runs. That is the answer to the first gate of its plan that rules do not pass; each further gate, and one that a handler
   * asks for by itself, is put to `onQuestion`. `"during"`: `onQuestion`, at each gate, with the preview; there the call can be
   * edited.
   */
  readonly approval?: "before" | "during"
}

/** A call as the SDK gives it. */
export interface LoopCall {
  readonly callId: string
  readonly name: string
  readonly params: unknown
}

/** How a call is run. */
export interface LoopRun {
  readonly signal?: AbortSignal | undefined
  /** Set where it was approved by the SDK's own means: what names this approval. */
  readonly approval?: string | undefined
  /** Whether that approval is of the tool, once and for all: no person has answered for this call. Default false. */
  readonly isStanding?: boolean
  readonly onDelta?: (text: string) => void
}

/** What came of a call. Plain JSON. */
export interface LoopResult extends Omit<ToolResult, "cause"> {
  /** The parameters that ran, where they were edited at the gate. */
  readonly editedParams?: unknown
}

/** Questions that are known to have been asked, and not yet run. */
const maxAsked = 1000

/** `hasAnswered`: the SDK's approval was for another gate of the call. */
const nobody = (question: LoopQuestion, hasAnswered: boolean): string => {
  const isPersons = question._tag === "AwaitingApproval" && question.person === true
  const before = hasAnswered
    ? "The approval before this call was for its first gate, and this is another one. "
    : ""
  return isPersons
    ? `${before}Nobody answers questions here, and only a person passes this gate: give the host an \`onQuestion\``
    : `${before}Nobody answers questions here: give the host an \`onQuestion\`, or decide with rules, \`delegates\` or \`reviewers\``
}

/** A call as its question and its run know it, however long its parameters are. */
const keyOf = ({ callId, name, params }: LoopCall): string =>
  createHash("sha256")
    .update(JSON.stringify([callId, name, params]))
    .digest("base64")

/** What the model is told of a result, as blocks: of an edited call also what ran. */
export const toldBlocks = ({ output, editedParams }: LoopResult): ReadonlyArray<ToolContent> => {
  if (editedParams === undefined) return output.content
  const text = `The user changed the parameters of this call. It ran with: ${shownJson(editedParams)}`
  return [...output.content, { type: "text", text }]
}

/** Whether blocks are all text, and nothing is lost where they are told as one. */
export const isAllText = (blocks: ReadonlyArray<ToolContent>): boolean =>
  blocks.every((block) => block.type === "text")

/** A resource as text, for models that take no other. */
export const resourceText = (block: Exclude<ToolContent, { readonly type: "text" }>): string => {
  if (block.type === "resource_link") return `${block.name}: ${block.uri}`
  if (block.type === "resource") return block.resource.text ?? `[${block.resource.uri}]`
  return `[${block.type}: ${block.mimeType}]`
}

/** One agent's calls. */
export class LoopCalls {
  readonly agent: ExecutorAgent
  private readonly executor: ToolExecutor
  private readonly options: AgentLoopOptions
  private turn: AgentTurn | undefined
  /** Calls that the SDK was told to ask about: why, and of a `resolve` which preview it meant then. */
  private readonly asked = new Map<string, { because: string | undefined; actionId: string | undefined }>()

  /** Throws a TypeError for an `approval` that means nothing. */
  constructor(executor: ToolExecutor, options: AgentLoopOptions) {
    const { agentId, approval } = options
    if (approval !== undefined && approval !== "before" && approval !== "during") {
      throw new TypeError(`Expected \`approval\` to be "before" or "during", ${got(approval)}`)
    }
    this.executor = executor
    this.options = options
    this.agent = executor.agent(agentId)
  }

  /** What the SDK is to ask before the call: `ask` only where it, and not the gate, asks. */
  async decide(call: LoopCall): Promise<CallDecision> {
    // It will be withheld: there is nothing to ask.
    if (this.withholds(call.name)) return { verdict: "run", params: call.params }
    const decision = await this.executor.decide({ ...call, agentId: this.agent.agentId })
    if (decision.verdict !== "ask") return decision
    if (this.options.approval === "during") return { ...decision, verdict: "run" }
    this.noteAsked(keyOf(call), decision)
    return decision
  }

  /** The first time counts: SDKs ask again when an approved call is about to run. */
  private noteAsked(key: string, { reason: because, applies }: CallDecision): void {
    if (this.asked.has(key)) return
    this.asked.set(key, { because, actionId: applies?.actionId })
    const [oldest] = this.asked.keys()
    if (this.asked.size > maxAsked) this.asked.delete(oldest!)
  }

  /** The turn that was is over. Says what the next one should or must do. */
  nextTurn(): ToolChoice | undefined {
    this.turn?.end()
    this.turn = this.agent.beginTurn()
    return this.agent.toolChoice()
  }

  /** Runs a call in its agent's lane. Rejects with an `AbortError` where its signal is aborted. */
  run(call: LoopCall, run: LoopRun): Promise<LoopResult> {
    const { approval } = run
    if (approval === undefined) return this.start(call, run)
    return calledOnce(this.executor, approval, (forget) => this.start(call, run, forget))
  }

  private async start(
    call: LoopCall,
    { signal, onDelta, approval, isStanding = false }: LoopRun,
    neverBegan: () => void = () => {},
  ): Promise<LoopResult> {
    const key = keyOf(call)
    const asked = this.asked.get(key)
    const { because, actionId } = asked ?? {}
    const given = { isStanding: isStanding && asked === undefined, because }
    const yes = new FirstAnswer(this.executor, approval === undefined ? undefined : given)
    let began = false
    let editedParams: unknown
    const tell = (event: ToolEvent): unknown => {
      if (event._tag === "AwaitingApproval" && yes.answers(event)) return undefined
      if (event._tag === "AwaitingApproval" || event._tag === "Delegate") return this.ask(event, yes.isGiven)
      if (event._tag === "Started") began = true
      if (event._tag === "Delta") onDelta?.(event.content)
      if (event._tag === "Completed" || event._tag === "Error") editedParams = event.editedParams
      return this.options.onEvent?.(event)
    }
    this.turn ??= this.agent.beginTurn()
    try {
      // A signal of its own: many calls listening to one would warn of a leak.
      const own = signal && AbortSignal.any([signal])
      // What was approved is that preview, and none that came since.
      const meant = actionId === undefined ? call : { ...call, params: { ...Object(call.params), actionId } }
      const { cause: _, ...result } = await this.turn.run(meant, tell, { signal: own })
      return editedParams === undefined ? result : { ...result, editedParams }
    } finally {
      if (began) this.asked.delete(key)
      else neverBegan()
    }
  }

  private ask(question: LoopQuestion, hasAnswered: boolean): unknown {
    const { onQuestion } = this.options
    // Whoever throws at a question has answered it.
    if (onQuestion === undefined) throw new Error(nobody(question, hasAnswered))
    return onQuestion(question)
  }

  private withholds(name: string): boolean {
    const mode = this.agent.toolChoice()?.mode
    return name !== resolveName && (mode === "remind" || mode === "force")
  }
}
