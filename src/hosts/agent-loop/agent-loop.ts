/**
 * The calls that an SDK's agent loop makes for one agent: decided before they run, approved through the SDK or at
 * their gates, and grouped into turns. Shared by the hosts for SDKs.
 */
import { createHash } from "node:crypto"
import type { CallDecision } from "../../model/decision.ts"
import type { AwaitingApprovalEvent, DelegateEvent, ToolEvent, ToolResult } from "../../model/event.ts"
import { expectBy, got } from "../../model/got.ts"
import type { AnyTools, ToolTypes } from "../../model/tool-types.ts"
import type { ToolContent } from "../../output/content.ts"
import type { AgentTurn, ExecutorAgent, ToolChoice } from "../../pipeline/agent.ts"
import type { ToolExecutor } from "../../pipeline/executor.ts"
import { resolveName } from "../../resolve/definition.ts"
import { shownJson } from "../shown-json.ts"
import { calledOnce } from "./called-once.ts"
import { FirstAnswer, type LoopAnswer } from "./first-answer.ts"

/** A question of a running call, to be answered now or later. */
export type LoopQuestion = AwaitingApprovalEvent | DelegateEvent

/** The agent that calls, and the functions that are asked and told. */
export interface AgentLoopOptions {
  /** Default `"main"`. */
  readonly agentId?: string
  /** Called at gates that the SDK's approval does not cover, and for effects. Without it gates are denied, and effects fail. */
  readonly onQuestion?: (question: LoopQuestion) => unknown
  /** Called with all other events: what a call streams, and the outcomes of background tasks and previews. */
  readonly onEvent?: (event: ToolEvent) => unknown
  /**
   * Who decides on a call with a gate. `"before"`, the default: whoever answers the SDK's approvals, before the call runs. That
   * answer is for the first gate of the call's plan that no rule passes; `onQuestion` is asked at every other gate, also at
   * those that a handler asks for. `"during"`: `onQuestion` is asked at each gate, with the preview, and can edit the
   * call.
   */
  readonly approval?: "before" | "during"
  /**
   * The person who gave the SDK's approval of a call, for `decidedBy` and for gates of people with names. `context`: what
   * the application passed to the SDK for this run. Default: nobody with a name.
   */
  readonly by?: (call: LoopCall, context: unknown) => string | undefined
}

/** A call as the SDK passes it. */
export interface LoopCall {
  readonly callId: string
  readonly name: string
  readonly params: unknown
}

/** How a call is run. */
export interface LoopRun {
  readonly signal?: AbortSignal | undefined
  /** An id of the SDK's approval; undefined if the SDK got none. */
  readonly approval?: string | undefined
  /** The person's answer, if it can be more than a yes. Only with `approval`. Default `"approve"`. */
  readonly answer?: LoopAnswer
  /** What the application passed to the SDK for this run, for `by`. */
  readonly context?: unknown
  /** Whether the approval is for the tool, once and for all: no person has answered for this call. Default false. */
  readonly isStanding?: boolean
  /** Whether the model's answer was cut at its token limit in the middle of the call. Default false. */
  readonly truncated?: boolean
  readonly onDelta?: (text: string) => void
}

/** The result of a call. Plain JSON. */
export interface LoopResult extends Omit<ToolResult, "cause"> {
  /** The parameters that ran, if they were edited at a gate. */
  readonly editedParams?: unknown
}

/** Does not begin before it is decided. */
const held = { decision: "requested" } as const

/** A call that the SDK was told to ask about: the reason, and for a `resolve` the latest preview at that time. */
interface Asked {
  readonly because: string | undefined
  readonly actionId: string | undefined
  /** Whether a rule that was added since passes the call. */
  isPassed: boolean
}

/** How many questions of calls that have not run yet are remembered. */
const maxAsked = 1000

/** `hasAnswered`: the SDK's approval was for another gate of the call. */
const unansweredReason = (question: LoopQuestion, hasAnswered: boolean): string => {
  const isPersons = question._tag === "AwaitingApproval" && question.person === true
  if (hasAnswered && question._tag === "AwaitingApproval" && question.named === true)
    return "The approval before this call is not enough: only some people may approve it, or several have to. Give the host an `onQuestion` that asks them"
  const before = hasAnswered
    ? "The approval before this call was for its first gate, and this is another one. "
    : ""
  return isPersons
    ? `${before}Nobody answers questions here, and only a person passes this gate: give the host an \`onQuestion\``
    : `${before}Nobody answers questions here: give the host an \`onQuestion\`, or decide with rules, \`delegates\` or \`reviewers\``
}

/** Identifies a call for its question and its run, however long its parameters are. */
const keyOf = ({ callId, name, params }: LoopCall): string =>
  createHash("sha256")
    .update(JSON.stringify([callId, name, params]))
    .digest("base64")

/** The blocks of a result for the model; for an edited call also the parameters that ran. */
export const toldBlocks = ({ output, editedParams, reason }: LoopResult): ReadonlyArray<ToolContent> => {
  if (editedParams === undefined) return output.content
  const what = reason === "invalid" ? "Nothing" : "It"
  const text = `The user changed the parameters of this call. ${what} ran with: ${shownJson(editedParams)}`
  return [...output.content, { type: "text", text }]
}

/** Whether all blocks are text, so that joining them loses nothing. */
export const isAllText = (blocks: ReadonlyArray<ToolContent>): boolean =>
  blocks.every((block) => block.type === "text")

/** A resource as text, for models that accept only text. */
export const resourceText = (block: Exclude<ToolContent, { readonly type: "text" }>): string => {
  if (block.type === "resource_link") return `${block.name}: ${block.uri}`
  if (block.type === "resource") return block.resource.text ?? `[${block.resource.uri}]`
  return `[${block.type}: ${block.mimeType}]`
}

/**
 * One agent's calls. Make one for an agent, for all its turns: it counts the turns of a preview. `T`: the tools of its executor.
 *
 * @example
 * const loop = new AgentLoop(executor, { agentId: "main" })
 * if ((await loop.decide(call)).verdict !== "ask") toldBlocks(await loop.run(call, { signal }))
 */
export class AgentLoop<T extends ToolTypes = AnyTools> {
  readonly agent: ExecutorAgent
  private readonly executor: ToolExecutor
  private readonly options: AgentLoopOptions
  private turn: AgentTurn | undefined
  /** The calls of `resolve` in this turn that the SDK was told to ask about. */
  private askedResolves: Array<LoopCall> = []
  private readonly asked = new Map<string, Asked>()

  /** Throws a TypeError for any other `approval`. */
  constructor(executor: ToolExecutor<T>, options: AgentLoopOptions = {}) {
    const { agentId, approval } = options
    if (approval !== undefined && approval !== "before" && approval !== "during") {
      throw new TypeError(`Expected \`approval\` to be "before" or "during", ${got(approval)}`)
    }
    this.executor = executor as unknown as ToolExecutor
    this.options = options
    this.agent = executor.agent(agentId)
  }

  /** Returns what the SDK has to ask before the call: `ask` only if the SDK asks instead of the gate. */
  async decide(call: LoopCall): Promise<CallDecision> {
    this.turn ??= this.agent.beginTurn()
    // There is nothing to ask.
    if (this.turn.withholds(call.name)) return { verdict: "run", params: call.params }
    const decision = await this.executor.decide({ ...call, agentId: this.agent.agentId })
    const key = keyOf(call)
    const asked = this.asked.get(key)
    if (decision.verdict === "run" && asked !== undefined) {
      // The answer counts, even if it is not necessary any more.
      asked.isPassed = true
      return { ...decision, verdict: "ask" }
    }
    if (decision.verdict !== "ask") return decision
    if (this.options.approval === "during") return { ...decision, verdict: "run" }
    this.noteAsked(key, decision)
    if (call.name === resolveName) this.askedResolves.push(call)
    return decision
  }

  /** Keeps the first question: SDKs ask again when an approved call is about to run. */
  private noteAsked(key: string, { reason: because, applies }: CallDecision): void {
    if (this.asked.has(key)) return
    this.asked.set(key, { because, actionId: applies?.actionId, isPassed: false })
    const [oldest] = this.asked.keys()
    if (this.asked.size > maxAsked) this.asked.delete(oldest!)
  }

  /** Ends the last turn. Returns what the next turn should or must do. */
  nextTurn(): ToolChoice | undefined {
    // Those that a person has denied with the SDK were never run.
    this.turn?.end(this.askedResolves)
    this.askedResolves = []
    this.turn = this.agent.beginTurn()
    return this.agent.toolChoice()
  }

  /** Runs a call in its agent's lane. Rejects with an `AbortError` if its signal is aborted. */
  run(call: LoopCall, run: LoopRun): Promise<LoopResult> {
    const { approval } = run
    if (approval === undefined) return this.start(call, run)
    return calledOnce(this.executor, approval, (forget) => this.start(call, run, forget))
  }

  private async start(
    call: LoopCall,
    {
      signal,
      onDelta,
      approval,
      answer = "approve",
      context,
      isStanding = false,
      truncated = false,
    }: LoopRun,
    neverBegan: () => void = () => {},
  ): Promise<LoopResult> {
    const key = keyOf(call)
    const asked = this.asked.get(key)
    const { because, actionId, isPassed } = asked ?? {}
    const by = approval === undefined ? undefined : this.options.by?.(call, context)
    expectBy(by)
    const who = by === undefined ? undefined : { by }
    const given = approval === undefined ? undefined : answer
    const no = typeof given === "object" && "deny" in given ? given : undefined
    const edited = typeof given === "object" && "params" in given ? given : undefined
    // No gate will ask where the call could be edited.
    const edit = isPassed && edited !== undefined ? { params: edited.params } : undefined
    const agreed = {
      answer: edit === undefined ? (edited ?? "approve") : "approve",
      isStanding: isStanding && asked === undefined,
      because,
      by,
    } as const
    const isAgreed = given !== undefined && no === undefined
    const yes = new FirstAnswer(this.executor, isAgreed ? agreed : undefined)
    let began = false
    let editedParams = edit?.params
    const tell = (event: ToolEvent): unknown => {
      // What the SDK approved is this call, and no call that its handlers make.
      const isNested = "parentId" in event && event.parentId !== undefined
      if (event._tag === "AwaitingApproval" && !isNested && yes.answers(event)) {
        // For a gate that needs several people, the approval counts as one.
        const isOpen = answer === "approve" && (event.quorum ?? 1) > 1
        return isOpen ? this.ask(event, true) : undefined
      }
      if (event._tag === "AwaitingApproval" || event._tag === "Delegate") return this.ask(event, yes.isGiven)
      if (event._tag === "Started") began = true
      if (event._tag === "Delta" && !isNested) onDelta?.(event.content)
      if ((event._tag === "Completed" || event._tag === "Error") && !isNested)
        editedParams = event.editedParams ?? editedParams
      return this.options.onEvent?.(event)
    }
    // A person has said yes to it: it counts as a turn of its own, even if another call of its turn was withheld.
    if (approval !== undefined && call.name === resolveName) this.nextTurn()
    this.turn ??= this.agent.beginTurn()
    try {
      // A separate signal: many calls that listen to one would cause a leak warning.
      const own = signal && AbortSignal.any([signal])
      // The approval was for that preview, not for a later one.
      const bound = actionId === undefined ? call : { ...call, params: { ...Object(call.params), actionId } }
      const running = this.turn.run({ ...bound, ...edit, ...(no && held), truncated }, tell, { signal: own })
      // At its gate it could be too late: a rule that was added since would pass that.
      if (no !== undefined) this.executor.deny(call.callId, no.deny, who)
      const { cause: _, ...result } = await running
      return editedParams === undefined ? result : { ...result, editedParams }
    } finally {
      if (began) this.asked.delete(key)
      else neverBegan()
    }
  }

  private ask(question: LoopQuestion, hasAnswered: boolean): unknown {
    const { onQuestion } = this.options
    // An error answers the question.
    if (onQuestion === undefined) throw new Error(unansweredReason(question, hasAnswered))
    return onQuestion(question)
  }
}
