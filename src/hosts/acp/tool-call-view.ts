/** One call as a client shows it: its state so far, sent as ACP's `tool_call` and its updates. */
import { resolve } from "node:path"
import type {
  SessionUpdate,
  ToolCallContent,
  ToolCallLocation,
  ToolCallStatus,
  ToolCallUpdate,
} from "@agentclientprotocol/sdk"
import type { AwaitingApprovalEvent } from "../../model/event.ts"
import type { TextEdit } from "../../model/host-effect.ts"
import type { Tool } from "../../model/tool.ts"
import { type ToolOutput, textOf } from "../../output/output.ts"
import { tailOf } from "../../text/truncation.ts"
import { visibleText } from "../../text/visible-text.ts"
import { repeatedNote } from "../repeated-note.ts"
import { sentJson, shownJson } from "../shown-json.ts"
import { diffOf } from "../terminal/render-diff.ts"
import type { AcpSession } from "./client.ts"
import type { RunningCall } from "./running-call.ts"

/** How much of a stream is shown, in bytes: each update contains all of it. */
const maxStreamed = 32_000

/** Milliseconds between two updates of a stream, for the same reason. */
const betweenUpdates = 100

const textBlock = (text: string): ToolCallContent => ({ type: "content", content: { type: "text", text } })

/** The blocks of an output have ACP's shapes already. */
const blocksOf = ({ content }: ToolOutput): Array<ToolCallContent> =>
  content.map((block) => ({ type: "content", content: block }) as ToolCallContent)

export interface ViewedCall {
  readonly callId: string
  readonly name: string
  readonly params: unknown
  readonly tool: Tool<unknown> | undefined
  /** Where relative paths start. */
  readonly cwd: string
}

export class ToolCallView implements RunningCall {
  private readonly session: AcpSession
  private readonly call: ViewedCall
  private readonly diffs: Array<ToolCallContent> = []
  private readonly terminals: Array<ToolCallContent> = []
  private streamed = ""
  private timer: NodeJS.Timeout | undefined
  private lastStreamed = 0
  private isOver = false

  constructor(session: AcpSession, call: ViewedCall) {
    this.session = session
    this.call = call
  }

  begin(): void {
    const { name, params } = this.call
    void this.send({
      sessionUpdate: "tool_call",
      toolCallId: this.call.callId,
      name,
      ...this.named(params),
      kind: this.call.tool?.kind ?? "other",
      status: "pending",
      rawInput: sentJson(params),
    })
  }

  /** @param params The validated parameters. */
  started(params: unknown): void {
    void this.update({ status: "in_progress", ...this.named(params), rawInput: sentJson(params) })
  }

  showEdits(path: string, edits: ReadonlyArray<TextEdit>): void {
    for (const { old_string, new_string } of edits) {
      this.diffs.push({ type: "diff", path, oldText: old_string, newText: new_string })
    }
    void this.update({ content: this.content(), locations: [{ path }] })
  }

  showFile(path: string, content: string): void {
    this.diffs.push({ type: "diff", path, oldText: null, newText: content })
    void this.update({ content: this.content(), locations: [{ path }] })
  }

  showPlace(place: ToolCallLocation): void {
    void this.update({ locations: [place] })
  }

  addTerminal(terminalId: string): void {
    this.terminals.push({ type: "terminal", terminalId })
    void this.update({ content: this.content() })
  }

  /**
   * The permission request for a gate, in which nothing that the model wrote can hide. `tool`: the gate's tool, which
   * differs from this call's if it applies what another call staged.
   */
  question(
    { params, label, preview, because }: AwaitingApprovalEvent,
    tool = this.call.tool,
  ): ToolCallUpdate {
    const text = textOf(preview)
    const diff = diffOf(preview?.details) ?? ""
    const shown = (text.includes(diff) ? text : `${text}\n${diff}`).trim()
    const texts = [
      ...(label === undefined ? [] : [visibleText(label, { singleLine: true })]),
      ...(params === undefined || this.diffs.length > 0 ? [] : [visibleText(shownJson(params, 2))]),
      ...(shown === "" || this.diffs.length > 0 ? [] : [visibleText(shown)]),
      visibleText(because, { singleLine: true }),
    ]
    return {
      toolCallId: this.call.callId,
      ...this.named(params, tool),
      kind: tool?.kind ?? "other",
      status: "pending",
      content: [...this.diffs, ...texts.map(textBlock)],
      rawInput: sentJson(params),
    }
  }

  /** Removes the question, after its gate was passed. */
  approved(): void {
    void this.update({ status: "in_progress", content: this.content() })
  }

  /** Resolves when there is room for more. A terminal shows its own output. */
  stream(text: string): Promise<void> | undefined {
    if (text === "" || this.terminals.length > 0) return undefined
    this.streamed = tailOf(this.streamed + text, maxStreamed)
    if (this.timer !== undefined) return undefined
    const wait = this.lastStreamed + betweenUpdates - performance.now()
    if (wait <= 0) return this.flush()
    this.timer = setTimeout(() => void this.flush(), wait)
    return undefined
  }

  /** @param output Undefined if the reason says everything. */
  ended(
    status: "completed" | "failed",
    reason: string,
    output: ToolOutput | undefined,
    isRepeated = false,
  ): void {
    clearTimeout(this.timer)
    this.isOver = true
    const isShown = status === "completed" && this.terminals.length > 0 && this.call.tool?.kind === "execute"
    const blocks = output === undefined ? [] : blocksOf(output)
    const own = status === "completed" ? blocks : [textBlock(reason), ...blocks.filter(isNoText)]
    const note = isRepeated ? [textBlock(repeatedNote)] : []
    const content = [...this.diffs, ...this.terminals, ...(isShown ? [] : own), ...note]
    const { structured } = output ?? {}
    void this.update({ status, content, ...(structured !== undefined && { rawOutput: structured }) })
  }

  /** Reports that the call continues after its turn. */
  inBackground(): void {
    if (!this.isOver) void this.update({ status: "in_progress", content: this.content() })
  }

  private flush(): Promise<void> {
    clearTimeout(this.timer)
    this.timer = undefined
    this.lastStreamed = performance.now()
    return this.update({ content: this.content() })
  }

  /** The whole content: an update replaces what the client has. */
  private content(): Array<ToolCallContent> {
    const text = this.streamed === "" ? [] : [textBlock(this.streamed)]
    return [...this.diffs, ...this.terminals, ...text]
  }

  private named(
    params: unknown,
    tool = this.call.tool,
  ): { title: string; locations?: Array<ToolCallLocation> } {
    const { name, cwd } = this.call
    const title = visibleText(tool?.title(params) ?? name, { singleLine: true })
    const path =
      tool?.primaryKind === "path" && tool.primaryParam !== undefined
        ? (params as Record<string, unknown> | null)?.[tool.primaryParam]
        : undefined
    return typeof path === "string" && path !== ""
      ? { title, locations: [{ path: resolve(cwd, path) }] }
      : { title }
  }

  private update(change: Omit<ToolCallUpdate, "toolCallId"> & { status?: ToolCallStatus }): Promise<void> {
    return this.send({ sessionUpdate: "tool_call_update", toolCallId: this.call.callId, ...change })
  }

  /** Ignores a client that is gone: its connection shows that, and the agent decides how the call ends. */
  private async send(update: SessionUpdate): Promise<void> {
    const { client, sessionId } = this.session
    await client.notify("session/update", { sessionId, update }).catch(() => {})
  }
}

const isNoText = (block: ToolCallContent): boolean =>
  block.type !== "content" || block.content.type !== "text"
