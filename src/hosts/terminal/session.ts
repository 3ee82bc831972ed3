/**
 * An interactive session on a terminal: a line for calls, with their blocks above it. The session owns its executor: leaving
 * shuts the executor down, and ends all running calls.
 */
import type { WriteStream } from "node:tty"
import type { UIContext } from "../../custom-tools/ui-context.ts"
import type { Decision } from "../../model/decision.ts"
import type { ToolExecutor } from "../../pipeline/executor.ts"
import { Notifications } from "../notifications.ts"
import { queuedBlock } from "./block.ts"
import { BlockView } from "./block-view.ts"
import { wrap } from "./columns.ts"
import { editExternally } from "./external-editor.ts"
import { denyAll, type GateAnswering } from "./gate-answers.ts"
import { callableTools } from "./input.ts"
import { Keyboard, type KeyPress } from "./keyboard.ts"
import { completeLine } from "./line-completions.ts"
import { LineEditor } from "./line-editor.ts"
import type { Frame } from "./live-region.ts"
import { promptFrame } from "./prompt.ts"
import { singleLine } from "./render-text.ts"
import { SessionDialogs } from "./session-dialogs.ts"
import { SessionGate } from "./session-gate.ts"
import { SessionLines } from "./session-lines.ts"
import type { SessionOptions } from "./session-options.ts"
import { SessionReport } from "./session-report.ts"
import { candidateLines } from "./session-text.ts"
import { hasColors } from "./style.ts"
import { rowsIn } from "./terminal-size.ts"

/** An interactive session on a terminal. It owns its executor: leaving shuts it down. */
export class Session {
  /** The screen for tools of other agents, which answers while the session runs. */
  readonly ui: UIContext
  private readonly executor: ToolExecutor
  private readonly output: WriteStream
  private readonly view: BlockView
  private readonly keyboard: Keyboard
  private readonly editor: LineEditor
  private readonly dialogs: SessionDialogs
  private readonly answering: GateAnswering
  private readonly gate: SessionGate
  private readonly report: SessionReport
  private readonly lines: SessionLines
  private readonly farewell: SessionOptions["farewell"]
  private warned = false
  private down: Promise<void> | undefined

  constructor(options: SessionOptions) {
    const { executor, input = process.stdin, output = process.stdout } = options
    this.executor = executor
    this.farewell = options.farewell
    const tools = callableTools(executor)
    this.output = output
    this.view = new BlockView({
      output,
      colors: options.colors ?? hasColors(output),
      tool: (name) => executor.agent().tool(name),
      footer: (width) => this.footer(width),
      onDrawn: () => {
        this.dialogs.drawn()
        this.gate.drawn()
      },
      hint: "Ctrl-C cancels, Ctrl-B to the background",
      mayEdit: true,
      mayList: true,
      gateNote: () => this.gateNote(),
      ...(options.filters !== undefined && { filters: options.filters }),
    })
    this.report = new SessionReport({
      executor,
      view: this.view,
      notifications: options.notifications ?? new Notifications({ tasks: executor.tasks }),
      say: (text) => this.say(text),
    })
    this.answering = { executor, view: this.view, by: options.by, say: (text) => this.say(text) }
    this.gate = new SessionGate({
      ...this.answering,
      lend: (use) => this.lend(use),
      edit: options.editText ?? editExternally,
      ...(options.rulesPath !== undefined && { rulesPath: options.rulesPath }),
    })
    this.dialogs = new SessionDialogs({
      output,
      view: this.view,
      keysTaken: () => this.keysTaken(),
      say: (text, paint) => this.say(text, paint),
      leave: () => void this.leave(),
    })
    this.ui = this.dialogs.ui
    this.keyboard = new Keyboard(input, output, (key) => this.press(key))
    this.lines = new SessionLines({
      by: options.by,
      executor,
      tools,
      view: this.view,
      report: this.report,
      corrections: options.corrections ?? (async () => []),
      callPrefix: options.callPrefix ?? "",
      callsBefore: options.callsBefore ?? 0,
      say: (text) => this.say(text),
      leave: () => void this.leave(),
    })
    this.editor = new LineEditor({
      onLine: (line) => this.lines.submit(line),
      onEnd: () => this.leave(),
      complete: (before) =>
        completeLine(before, {
          tools,
          tasks: executor.tasks.list(),
          cwd: options.cwd ?? process.cwd(),
        }),
      onCandidates: (candidates) => this.view.print(candidateLines(candidates, this.view)),
      onChange: () => this.view.invalidate(),
      ...(options.history !== undefined && { history: options.history }),
    })
    if (options.greeting !== undefined) this.say(options.greeting)
    this.showWhatIsThere()
  }

  /** Shows existing calls, such as those of an earlier process. Their questions are asked again. */
  private showWhatIsThere(): void {
    const { blocks } = this.view
    const stop = this.executor.watch({
      queued: (call) => blocks.set(queuedBlock(call)),
      event: (event) => event._tag !== "AwaitingApproval" && blocks.apply(event, Date.now()),
    })
    stop()
  }

  /** Resolves once the user has left and the executor is shut down. */
  async run(): Promise<void> {
    const stopWatching = this.executor.watch({
      decided: (decision) => this.decided(decision),
      left: (callId) => this.view.left(callId),
    })
    process.once("exit", this.restore)
    this.output.on("resize", this.resize)
    this.keyboard.open()
    this.keyboard.input.once("end", () => this.leave())
    this.view.draw()
    try {
      for await (const event of this.executor.events) this.report.show(event)
      await this.down
      // Calls that do not end continue without this session.
      this.view.forget()
    } finally {
      stopWatching()
      this.restore()
      await this.leave()
      this.editor.close()
      this.output.off("resize", this.resize)
      process.off("exit", this.restore)
    }
  }

  /** Ends running calls and the session. */
  leave(): Promise<void> {
    this.dialogs.close()
    this.report.isLeaving = true
    if (this.down === undefined) {
      const farewell = this.farewell?.()
      if (farewell !== undefined) this.say(farewell)
      this.down = this.executor.shutdown()
    }
    return this.down
  }

  /** Stops showing a gate that was decided, perhaps on a page. */
  private decided(decision: Decision): void {
    const { callId, verdict, by } = decision
    if (verdict === "approve") {
      this.view.approved(callId)
      this.view.blocks.passed(decision)
    } else if (verdict === "vote") this.view.voted(callId, by?.id)
    else if (verdict === "deny") this.view.denied(callId)
  }

  private readonly restore = (): void => {
    this.view.close()
    this.keyboard.close()
  }

  private readonly resize = (): void => this.view.resized()

  private footer(width: number): Frame {
    const { dialogs, editor, executor } = this
    const { style, blocks } = this.view
    if (this.down !== undefined) return { live: blocks.size === 0 ? [] : [style.dim("Stopping what runs…")] }
    const asked = dialogs.frame(width)
    if (asked !== undefined) return asked
    const rows = Math.max(1, Math.floor(rowsIn(this.output) / 2) - 1)
    const typed = this.gate.frame(width, rows)
    if (typed !== undefined) return typed
    const actions = executor.agent().pendingActions.list()
    return promptFrame({ editor, width, rows, style, actions, above: dialogs.waitingLines(width) })
  }

  private gateNote(): string | undefined {
    if (this.dialogs.isOnScreen) return "once the question below is answered"
    return this.editor.isEmpty ? undefined : "once the line below is empty"
  }

  private keysTaken(): string | undefined {
    if (!this.editor.isEmpty) return "the line below is empty"
    return this.view.gateOnShow === undefined ? undefined : "the call above is decided"
  }

  private say(text: string, paint: (line: string) => string = this.view.style.dim): void {
    const lines = text.split("\n").flatMap((line) => wrap(singleLine(line), this.view.width))
    this.view.print(lines.map(paint))
  }

  // --- Keys

  private press(key: KeyPress): void {
    if (this.down !== undefined) return
    this.view.pressed()
    if (key.ctrl && !key.pasted && this.control(key.name)) return
    this.warned = false
    // Keys decide a gate only if the screen showed it.
    const mayDecide = this.editor.isEmpty && !this.dialogs.isOnScreen
    if (!this.dialogs.press(key) && !(mayDecide && this.gate.press(key))) this.editor.press(key)
    this.view.invalidate()
  }

  private control(name: string | undefined): boolean {
    switch (name) {
      case "c":
        this.interrupt()
        return true
      case "b":
        this.toBackground()
        return true
      case "o":
        if (!this.dialogs.expand()) this.view.expand()
        return true
      case "l":
        this.view.redraw(true)
        return true
      case "z":
        this.suspend()
        return true
      default:
        return false
    }
  }

  /** Ctrl-C in layers: denies waiting calls, or cancels running ones, or clears the line, or leaves. */
  private interrupt(): void {
    const dismissed = this.dialogs.dismissAll()
    if (denyAll(this.answering) > 0) return
    // Dismissing a question also cancels its call: otherwise the user could not leave a call that asks forever.
    if (this.executor.cancel({ reason: "Cancelled by user" }) > 0 || dismissed > 0) return
    if (!this.editor.isEmpty) {
      this.editor.clear()
      this.view.invalidate()
      return
    }
    // A cancelled foreground call that has not ended yet is not a task.
    const running = [...this.view.blocks].filter(({ background }) => background).length
    if (running === 0 || this.warned) {
      void this.leave()
      return
    }
    this.warned = true
    this.say(
      `${running} background ${running === 1 ? "task still runs" : "tasks still run"}. Ctrl-C again stops and leaves.`,
    )
  }

  private toBackground(): void {
    const block = [...this.view.blocks].find(({ background, status }) => !background && status !== "queued")
    if (block === undefined) this.say("Nothing runs in the foreground.")
    else if (!this.executor.toBackground(block.callId))
      this.say(`${block.toolName} cannot go to the background.`)
  }

  private suspend(): void {
    this.keyboard.close()
    this.view.pause()
    // The whole process group, as a terminal does: a shell waits for all of it.
    process.kill(0, "SIGTSTP")
    // The next turn runs when the process is continued, or at once if nothing could stop it.
    setImmediate(() => {
      if (this.down !== undefined) return
      this.keyboard.open()
      this.view.draw()
    })
  }

  private async lend<T>(use: () => Promise<T>): Promise<T> {
    this.keyboard.close()
    this.view.hold()
    try {
      return await use()
    } finally {
      if (this.down === undefined) this.keyboard.open()
      this.view.release()
    }
  }
}
