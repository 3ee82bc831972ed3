/**
 * Runs tool calls for an agent of the Agent Client Protocol: the client shows the progress of each call, and asks its user at
 * gates. Needs no module of the SDK, only the connection of the agent.
 */
import { randomUUID } from "node:crypto"
import { localMachine, type Machine } from "../../io/machine.ts"
import type { ToolCallInput } from "../../model/call.ts"
import {
  type AwaitingApprovalEvent,
  type DelegateEvent,
  type ToolEvent,
  type ToolResult,
  unattended,
} from "../../model/event.ts"
import { expectBy } from "../../model/got.ts"
import type { BuiltInEffect } from "../../model/host-effect.ts"
import type { ToolExecutor } from "../../pipeline/executor.ts"
import { formsIn } from "../input-form.ts"
import { nobodyNamed } from "../named-gate.ts"
import { unsavedText } from "./acp-files.ts"
import { acpMachine } from "./acp-machine.ts"
import type { AcpSession } from "./client.ts"
import { callKey, permissionOf, permissionOptions } from "./permission.ts"
import { runningCall } from "./running-call.ts"
import { ToolCallView } from "./tool-call-view.ts"

/** A session of a client, and the executor that runs its calls. */
export interface AcpToolHostOptions extends AcpSession {
  readonly executor: ToolExecutor
  /** The executor's folder, the base of relative paths. Default: the process's. */
  readonly cwd?: string
  /** The client's user: who answers gates, as `by`. Default: nobody is named, and a gate of people with names is denied. */
  readonly by?: string
  /** Does what the client cannot. Default: this machine. */
  readonly base?: Machine
}

/** For the model, after the user has rejected a call for good. */
const rejectedForGood =
  "The user has rejected this call for the rest of the session. Do not repeat it: do something else, or ask what is wanted."

/** Whether a client reads files of its editor, but cannot change them there. */
const onlyReads = ({ fs }: AcpSession["capabilities"]): boolean =>
  fs?.readTextFile === true && fs.writeTextFile !== true

/** A call that the client is shown. `over`: aborted when it has ended. */
interface Shown {
  readonly view: ToolCallView
  readonly over: AbortController
}

/**
 * The host of one session of an ACP agent. Call `run` instead of `executor.run`, with tools made for `machine`.
 *
 * @example
 * const host = new AcpToolHost({ executor, client, sessionId, capabilities, cwd })
 * for (const tool of subagentTools(host.machine)) registry.register(tool)
 * const { content, isError } = await host.run({ name: "shell", params: { command: "npm test" } }, signal)
 */
export class AcpToolHost {
  /** The client's terminals and its editor's unsaved text if it offers them; otherwise `base`. */
  readonly machine: Machine
  private readonly session: AcpSession
  private readonly executor: ToolExecutor
  private readonly cwd: string
  private readonly base: Machine
  private readonly by: string | undefined
  private readonly rejected = new Set<string>()

  constructor({
    executor,
    client,
    sessionId,
    capabilities,
    cwd = process.cwd(),
    base = localMachine,
    by,
  }: AcpToolHostOptions) {
    expectBy(by)
    this.by = by
    this.session = { client, sessionId, capabilities }
    this.executor = executor
    this.cwd = cwd
    this.base = base
    this.machine = acpMachine(this.session, base)
  }

  /**
   * Runs one call to its result, for the model. A background call resolves once it has started; the client is shown the
   * rest. Rejects with an `AbortError` if the signal is aborted, once the call is over: the prompt then ends with
   * `cancelled`.
   */
  async run(call: ToolCallInput, signal?: AbortSignal): Promise<ToolResult> {
    signal?.throwIfAborted()
    const { callId = randomUUID(), name, params = {}, agentId } = call
    const tool = this.executor.agent(agentId).tool(name)
    const view = new ToolCallView(this.session, { callId, name, params, tool, cwd: this.cwd })
    const shown = new Map([[callId, { view, over: new AbortController() }]])
    const onEvent = (event: ToolEvent) => {
      if (!("callId" in event)) return undefined
      const its = shown.get(event.callId) ?? this.nested(event)
      shown.set(event.callId, its)
      const told = this.tell(event, its.view, its.over)
      if (its.over.signal.aborted) shown.delete(event.callId)
      return told
    }
    view.begin()
    return runningCall.run(view, () =>
      this.executor.run({ ...call, callId }, onEvent, signal === undefined ? {} : { signal }),
    )
  }

  /** The tool call that shows a nested call, which begins with this event. */
  private nested(event: ToolEvent & { readonly callId: string }): Shown {
    const { callId, agentId } = event
    const { name, params } = { name: "", params: {}, ...event }
    const tool = this.executor.agent(agentId).tool(name)
    const view = new ToolCallView(this.session, { callId, name, params, tool, cwd: this.cwd })
    view.begin()
    return { view, over: new AbortController() }
  }

  /** Passes an event to the client. A rejection answers the event's question. */
  private tell(event: ToolEvent, view: ToolCallView, over: AbortController): Promise<void> | undefined {
    switch (event._tag) {
      case "Started":
        view.started(event.params)
        return undefined
      case "Delta":
        return view.stream(event.content)
      case "Delegate":
        return this.answer(event, view, over.signal)
      case "AwaitingApproval":
        return this.ask(event, view, over.signal)
      case "BackgroundStarted":
        view.inBackground()
        return undefined
      case "Completed":
        view.ended("completed", event.content, event.output, event.deduplicated)
        break
      case "Error":
        view.ended("failed", event.content, event.output)
        break
      case "Denied":
      case "Cancelled":
        view.ended("failed", event.content, undefined)
        break
      case "BackgroundCompleted": {
        const task = this.executor.tasks.get(event.callId)
        const status = event.status === "complete" ? "completed" : "failed"
        view.ended(status, task?.content ?? `[${event.status}]`, task?.output)
        break
      }
      default:
        return undefined
    }
    over.abort()
    return undefined
  }

  private async ask(gate: AwaitingApprovalEvent, view: ToolCallView, over: AbortSignal): Promise<void> {
    const key = callKey(gate.name, gate.params)
    if (this.rejected.has(key)) {
      gate.deny(rejectedForGood, unattended)
      return
    }
    const { client, sessionId } = this.session
    const options = permissionOptions(this.executor, gate)
    const tool = this.executor.agent(gate.agentId).tool(gate.name)
    const answer = await client.request(
      "session/request_permission",
      { sessionId, toolCall: view.question(gate, tool), options },
      // The question is withdrawn when its call ends.
      { cancellationSignal: over, stopWaitingOnCancel: true },
    )
    const permission = permissionOf(answer, options)
    if (permission === "cancelled") this.executor.cancelCall(gate.callId)
    else if (permission === "allow_once" || permission === "allow_always") {
      if (this.approve(gate, permission === "allow_always")) view.approved()
    } else {
      if (permission === "reject_always") this.rejected.add(key)
      const reason = permission === "reject_always" ? rejectedForGood : undefined
      const { by } = this
      // A call that its own user rejects never runs, whoever may answer the gate.
      if (by === undefined || !gate.deny(reason, { by })) gate.deny(reason, unattended)
    }
  }

  /** A gate that several people have to approve waits for the others; one that this user may not answer is denied with the reason. */
  private approve(gate: AwaitingApprovalEvent, remember: boolean): boolean {
    const { by, executor } = this
    const answer = { callId: gate.callId, question: gate, approve: remember ? { remember } : true } as const
    const [outcome] = executor.answer([answer], by === undefined ? undefined : { by })
    const { took, why } = outcome!
    if (!took && gate.named === true) gate.deny(by === undefined ? nobodyNamed : why, unattended)
    return took
  }

  private async answer(event: DelegateEvent, view: ToolCallView, over: AbortSignal): Promise<void> {
    const effect = event.effect as BuiltInEffect
    switch (effect._tag) {
      case "IdeShowDiffPreview":
        view.showEdits(effect.path, effect.edits)
        break
      case "IdeShowPreview":
        view.showFile(effect.preview.path, effect.preview.content)
        break
      case "IdeOpen":
        view.showPlace({ path: effect.path, ...(effect.line !== undefined && { line: effect.line }) })
        break
      case "IdeCheckUnsavedEdits":
        return this.checkUnsaved(event, effect.path)
      default: {
        const forms = this.session.capabilities.elicitation?.form == null ? undefined : formsIn(effect)
        if (forms !== undefined) return this.fillForms(event, forms, over)
        if (!effect._tag.startsWith("Ide")) {
          event.fail(`The ACP client cannot answer ${effect._tag}`)
          return
        }
      }
    }
    event.succeed()
  }

  /** What MCP servers ask their user: the client shows the same forms. */
  private async fillForms(
    event: DelegateEvent,
    forms: NonNullable<ReturnType<typeof formsIn>>,
    over: AbortSignal,
  ): Promise<void> {
    const { client, sessionId } = this.session
    const structured: Record<string, unknown> = {}
    for (const [key, params] of forms) {
      const form = { mode: "form", ...params, sessionId, toolCallId: event.callId }
      const options = { cancellationSignal: over, stopWaitingOnCancel: true }
      structured[key] = await client.request("elicitation/create", form, options)
    }
    event.succeed({ structured })
  }

  /** Tools read unsaved text. If the editor cannot take their changes, these would be saved together with it. */
  private async checkUnsaved(event: DelegateEvent, path: string): Promise<void> {
    if (onlyReads(this.session.capabilities) && (await this.isUnsaved(path))) {
      event.fail(`${path} has unsaved changes in the editor. Ask the user to save it, then call this again.`)
    } else event.succeed()
  }

  private async isUnsaved(path: string): Promise<boolean> {
    const { files } = this.base
    const real = await files.resolveLinks(path)
    const disk = await files.read(real)
    return (await unsavedText(this.session, real, disk)) !== undefined
  }
}
