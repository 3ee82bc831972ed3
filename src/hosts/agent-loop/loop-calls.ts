/**
 * The calls that an SDK's agent loop makes for one agent: decided before they run, approved by the SDK's own means or at
 * their gates, told apart by turns. What the SDKs have in common.
 */
import type { AgentTurn, ExecutorAgent, ToolChoice } from "../../pipeline/agent.ts"
import type { ToolExecutor } from "../../pipeline/executor.ts"
import type { ToolCallInput } from "../../pipeline/model/call.ts"
import type { ToolContent } from "../../pipeline/model/content.ts"
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

/** A question that a call asks while it runs: answer it, now or later. */
export type LoopQuestion = AwaitingApprovalEvent | DelegateEvent

/** Who calls, and who is asked. */
export interface AgentLoopOptions {
  /** Default `"main"`. */
  readonly agentId?: string
  /** Asked at gates, and for effects. Without it gates that nobody has decided are denied, and effects fail. */
  readonly onQuestion?: (question: LoopQuestion) => unknown
  /** Told all else: what a call streams, what becomes of background tasks and previews. */
  readonly onEvent?: (event: ToolEvent) => unknown
  /**
   * Who decides about a call that has a gate. `"before"`, the default: whoever answers the SDK's approvals, before anything of
   * it runs. `"during"`: `onQuestion`, at the gate, with the preview; there the call can be edited.
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
  readonly onDelta?: (text: string) => void
}

/** What came of a call. Plain JSON. */
export interface LoopResult extends Omit<ToolResult, "cause"> {
  /** The parameters that ran, where they were edited at the gate. */
  readonly editedParams?: unknown
}

const nobody =
  "Nobody answers questions here: give the host an `onQuestion`, or decide with rules, `delegates` or `reviewers`"

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
    const asksLater = decision.verdict === "ask" && this.options.approval === "during"
    return asksLater ? { ...decision, verdict: "run" } : decision
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
    const approved = { ...call, decision: "approve" as const }
    return calledOnce(this.executor, approval, (forget) => this.start(approved, run, forget))
  }

  private async start(
    call: Omit<ToolCallInput, "agentId">,
    { signal, onDelta }: LoopRun,
    neverBegan: () => void = () => {},
  ): Promise<LoopResult> {
    let began = false
    let editedParams: unknown
    const tell = (event: ToolEvent): unknown => {
      if (event._tag === "AwaitingApproval" || event._tag === "Delegate") return this.ask(event)
      if (event._tag === "Started") began = true
      if (event._tag === "Delta") onDelta?.(event.content)
      if (event._tag === "Completed" || event._tag === "Error") editedParams = event.editedParams
      return this.options.onEvent?.(event)
    }
    this.turn ??= this.agent.beginTurn()
    try {
      // A signal of its own: many calls listening to one would warn of a leak.
      const own = signal && AbortSignal.any([signal])
      const { cause: _, ...result } = await this.turn.run(call, tell, { signal: own })
      return editedParams === undefined ? result : { ...result, editedParams }
    } finally {
      if (!began) neverBegan()
    }
  }

  private ask(question: LoopQuestion): unknown {
    const { onQuestion } = this.options
    // Whoever throws at a question has answered it.
    if (onQuestion === undefined) throw new Error(nobody)
    return onQuestion(question)
  }

  private withholds(name: string): boolean {
    const mode = this.agent.toolChoice()?.mode
    return name !== resolveName && (mode === "remind" || mode === "force")
  }
}
