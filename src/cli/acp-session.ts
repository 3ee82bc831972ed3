/** One session of `stepline acp`: a scripted agent, which makes the calls of its script and asks the client's user at gates. */
import type { ContentBlock, StopReason } from "@agentclientprotocol/sdk"
import { acpMachine } from "../hosts/acp/acp-machine.ts"
import { AcpToolHost } from "../hosts/acp/acp-tool-host.ts"
import type { AcpSession } from "../hosts/acp/client.ts"
import type { Machine } from "../io/machine.ts"
import type { ToolExecutor } from "../pipeline/executor.ts"
import { type LocalExecutor, type LocalOptions, localExecutor } from "./local-executor.ts"
import { type PersonOptions, personOf } from "./person.ts"
import { parseScript, type ScriptStep } from "./script.ts"
import { UsageError } from "./usage-error.ts"

export interface ScriptedSessionOptions extends LocalOptions, PersonOptions {
  /** The script that every prompt runs. Undefined: the prompt's own text. */
  readonly script: ReadonlyArray<ScriptStep> | undefined
}

/** Answers the effects that no client answers: those of dropped previews. */
const answerTheRest = async (executor: ToolExecutor): Promise<void> => {
  for await (const event of executor.events) {
    if (event._tag === "Delegate") event.succeed()
  }
}

const textIn = (prompt: ReadonlyArray<ContentBlock>): string =>
  prompt.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n")

/** An agent without a model: its turns are scripts. */
export class ScriptedSession {
  private readonly session: AcpSession
  private readonly local: LocalExecutor
  private readonly host: AcpToolHost
  private readonly script: ScriptedSessionOptions["script"]
  private turn: AbortController | undefined
  private turns = 0

  private constructor(
    session: AcpSession,
    local: LocalExecutor,
    { script, as }: Pick<ScriptedSessionOptions, "script" | "as">,
  ) {
    const { executor, cwd } = local
    this.session = session
    this.local = local
    this.script = script
    const by = personOf(as)
    this.host = new AcpToolHost({ ...session, executor, cwd, ...(by !== undefined && { by }) })
  }

  /**
   * Rejects with a UsageError for a folder that does not exist.
   *
   * @param warn Called for each tool that could not be loaded, with one line.
   */
  static async open(
    session: AcpSession,
    { script, as, ...options }: ScriptedSessionOptions,
    warn: (line: string) => void,
  ): Promise<ScriptedSession> {
    // The client's terminals and its editor are outside of the sandbox.
    const isInSandbox = options.sandbox === true
    const machineOn = (machine: Machine) => (isInSandbox ? machine : acpMachine(session, machine))
    const local = await localExecutor({ ...options, mayAsk: false }, undefined, machineOn)
    void answerTheRest(local.executor)
    for (const problem of await local.start()) warn(problem)
    return new ScriptedSession(session, local, { script, ...(as !== undefined && { as }) })
  }

  get isBusy(): boolean {
    return this.turn !== undefined
  }

  /** Runs one turn to its end. */
  async prompt(prompt: ReadonlyArray<ContentBlock>): Promise<StopReason> {
    const turn = new AbortController()
    this.turn = turn
    this.turns += 1
    try {
      for (const step of this.script ?? parseScript(textIn(prompt), "prompt"))
        await this.take(step, turn.signal)
      return turn.signal.aborted ? "cancelled" : "end_turn"
    } catch (error) {
      if (turn.signal.aborted) return "cancelled"
      if (!(error instanceof UsageError)) throw error
      await this.say(`${error.message}\nA prompt is a script: {"name": "shell", "params": {"command": "ls"}}`)
      return "end_turn"
    } finally {
      this.turn = undefined
    }
  }

  /** Ends the turn and all its calls. */
  cancel(): void {
    this.turn?.abort()
  }

  async close(): Promise<void> {
    this.cancel()
    await this.local.executor.shutdown()
    await this.local.close()
  }

  private async take(step: ScriptStep, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (step._tag === "Wait") {
      await this.local.executor.tasks.wait(this.idOf(step.callId), { signal })
      return
    }
    const { heading, call } = step
    if (heading !== undefined) await this.say(heading)
    // A script defines calls, it does not approve them: its `approve` asks like `pending`.
    const decision = call.decision === "deny" ? "deny" : "pending"
    await this.host.run({ ...call, callId: this.idOf(call.callId), decision }, signal)
  }

  /** A script that runs again makes new calls, with new ids. */
  private idOf(callId: string): string {
    return this.turns === 1 ? callId : `${callId}-${this.turns}`
  }

  private async say(text: string): Promise<void> {
    const { client, sessionId } = this.session
    const content = { type: "text" as const, text: `${text}\n` }
    await client.notify("session/update", {
      sessionId,
      update: { sessionUpdate: "agent_message_chunk", content },
    })
  }
}
