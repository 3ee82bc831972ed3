/**
 * An interactive session on a terminal: a line to type calls into, their blocks above it.
 * It owns its executor: leaving shuts it down, and with it all that still runs.
 */
import type { ReadStream, WriteStream } from "node:tty"
import type { UIContext } from "../../custom-tools/ui-context.ts"
import type { Correction } from "../../io/corrections.ts"
import type { ToolExecutor } from "../../pipeline/executor.ts"
import type { ToolEvent } from "../../pipeline/model/event.ts"
import { capitalized } from "../../pipeline/stores/background-tasks.ts"
import { resolveName } from "../../resolve/definition.ts"
import { Notifications } from "../notifications.ts"
import { answerEffect } from "./answer-effect.ts"
import { type Block, queuedBlock } from "./block.ts"
import { BlockView } from "./block-view.ts"
import { wrap } from "./columns.ts"
import { decideGate, denyAll } from "./gate-keys.ts"
import { type CallableTools, callableTools, type Input, parseInput } from "./input.ts"
import { Keyboard, type KeyPress } from "./keyboard.ts"
import { LineEditor } from "./line-editor.ts"
import type { Frame } from "./live-region.ts"
import { printedBlock } from "./printed-block.ts"
import { prompt, promptFrame } from "./prompt.ts"
import { singleLine, visibleLine } from "./render-text.ts"
import { performCommand } from "./session-commands.ts"
import { SessionDialogs } from "./session-dialogs.ts"
import { completions } from "./session-text.ts"
import { hasColors } from "./style.ts"

export interface SessionOptions {
  readonly executor: ToolExecutor
  /** Default: the process's. */
  readonly input?: ReadStream
  readonly output?: WriteStream
  /** Default: whether the output shows colours. */
  readonly colors?: boolean
  /** The first line. */
  readonly greeting?: string
  /** What else is reported beside the user's calls, such as by agents: shown once no foreground call runs or waits. */
  readonly notifications?: Notifications
  /** What `/corrections` lists, the newest first. Default: nothing. */
  readonly corrections?: () => Promise<ReadonlyArray<Correction>>
}

export class Session {
  /** The screen for tools of other agents; it answers as long as the session runs. */
  readonly ui: UIContext
  private readonly executor: ToolExecutor
  private readonly tools: CallableTools
  private readonly output: WriteStream
  private readonly view: BlockView
  private readonly keyboard: Keyboard
  private readonly editor: LineEditor
  private readonly dialogs: SessionDialogs
  private readonly notifications: Notifications
  private readonly corrections: () => Promise<ReadonlyArray<Correction>>
  private calls = 0
  private warned = false
  private down: Promise<void> | undefined

  constructor(options: SessionOptions) {
    const { executor, input = process.stdin, output = process.stdout } = options
    this.executor = executor
    this.notifications = options.notifications ?? new Notifications({ tasks: executor.tasks })
    this.corrections = options.corrections ?? (async () => [])
    this.tools = callableTools(executor)
    this.output = output
    this.view = new BlockView({
      output,
      colors: options.colors ?? hasColors(output),
      tool: (name) => executor.tool(name),
      footer: (width) => this.footer(width),
      onDrawn: () => this.dialogs.drawn(),
      hint: "Ctrl-C cancels, Ctrl-B to the background",
      gateNote: () => this.gateNote(),
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
    this.editor = new LineEditor({
      onLine: (line) => this.submit(line),
      onEnd: () => this.leave(),
      complete: (line) => completions(line, this.tools, executor.tasks.list()),
    })
    if (options.greeting !== undefined) this.say(options.greeting)
  }

  /** Resolves once the user has left and the executor is shut down. */
  async run(): Promise<void> {
    process.once("exit", this.restore)
    this.output.on("resize", this.resize)
    this.keyboard.open()
    this.keyboard.input.once("end", () => this.leave())
    this.view.draw()
    try {
      for await (const event of this.executor.events) this.show(event)
      await this.down
    } finally {
      this.restore()
      await this.leave()
      this.editor.close()
      this.output.off("resize", this.resize)
      process.off("exit", this.restore)
    }
  }

  /** Stops what runs and ends the session. */
  leave(): Promise<void> {
    this.dialogs.close()
    this.down ??= this.executor.shutdown()
    return this.down
  }

  private readonly restore = (): void => {
    this.view.close()
    this.keyboard.close()
  }

  private readonly resize = (): void => this.view.draw()

  private footer(width: number): Frame {
    const { dialogs, editor, executor } = this
    const { style, blocks } = this.view
    if (this.down !== undefined) return { live: blocks.size === 0 ? [] : [style.dim("Stopping what runs…")] }
    const asked = dialogs.frame(width)
    if (asked !== undefined) return asked
    const actions = executor.pendingActions().list()
    return promptFrame({ editor, width, style, actions, above: dialogs.waitingLines(width) })
  }

  private gateNote(): string | undefined {
    if (this.dialogs.isOnScreen) return "once the question below is answered"
    return this.editor.isEmpty ? undefined : "once the line below is empty"
  }

  private keysTaken(): string | undefined {
    if (!this.editor.isEmpty) return "the line below is empty"
    return this.view.gate === undefined ? undefined : "the call above is decided"
  }

  private say(text: string, paint: (line: string) => string = this.view.style.dim): void {
    const lines = text.split("\n").flatMap((line) => wrap(singleLine(line), this.view.width))
    this.view.print(lines.map(paint))
  }

  // --- Events

  private show(event: ToolEvent): void {
    if (event._tag === "Delegate") answerEffect(event)
    // The prompt shows what is pending.
    if (event._tag === "ActionPending") return this.view.invalidate()
    if (event._tag === "ActionResolved") {
      if (event.outcome === "dropped") this.say(`Not applied: ${visibleLine(event.label)}`)
      for (const error of event.cleanupErrors ?? [])
        this.say(`Cleanup of ${visibleLine(event.label)} failed: ${error}`)
      return this.view.invalidate()
    }
    const block = this.view.apply(event)
    if (block === undefined) return
    const printed = printedBlock(event, block, this.executor.tasks)
    if (printed === undefined) return
    this.view.printBlock(printed, event._tag === "Completed" && event.staged !== undefined)
    if (this.down !== undefined) return
    this.sayWhatIsNext(event, block)
    this.tell()
  }

  /** Says what was reported beside the user's calls, unless one of those has the user's attention. */
  private tell(): void {
    if ([...this.view.blocks].some(({ background }) => !background)) return
    for (const { source, text } of this.notifications.drain()) this.say(`${source}: ${text}`)
  }

  private sayWhatIsNext(event: ToolEvent, { callId, toolName, agentId, status }: Block): void {
    if (event._tag === "BackgroundCompleted") {
      const text = `${toolName} has ended [${capitalized(event.status)}]; /take ${callId} takes its result.`
      this.notifications.add({ agentId, source: `task ${callId}`, text, taskId: callId })
    } else if (event._tag === "Completed" && event.staged !== undefined) {
      this.say("/apply makes these changes, /discard drops them.")
    } else if (toolName === resolveName && status !== "complete") {
      const action = this.executor.pendingActions(agentId).peek()
      if (action !== undefined) this.say(`Still pending: ${visibleLine(action.label)}`)
    }
  }

  // --- Keys

  private press(key: KeyPress): void {
    if (this.down !== undefined) return
    if (key.ctrl && !key.pasted && this.control(key.name)) return
    this.warned = false
    // A gate is decided only by keys that the screen said were its own.
    const mayDecide = this.editor.isEmpty && !this.dialogs.isOnScreen
    if (!this.dialogs.press(key) && !(mayDecide && decideGate(key, this.view, this.executor)))
      this.editor.press(key)
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

  /** Ctrl-C in layers: denies what waits, else cancels what runs, else clears the line, else leaves. */
  private interrupt(): void {
    const dismissed = this.dialogs.dismissAll()
    if (denyAll(this.view, this.executor) > 0) return
    // With its question goes the call that asked it: one that asks for ever could not be left otherwise.
    if (this.executor.cancel({ reason: "Cancelled by user" }) > 0 || dismissed > 0) return
    if (!this.editor.isEmpty) {
      this.editor.clear()
      this.view.invalidate()
      return
    }
    const running = this.view.blocks.size
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
    // The whole process group, as the terminal itself would: a shell waits for all of it.
    process.kill(0, "SIGTSTP")
    // The next turn comes when somebody continues the process, or at once where nothing could stop it.
    setImmediate(() => {
      if (this.down !== undefined) return
      this.keyboard.open()
      this.view.draw()
    })
  }

  // --- Lines

  private submit(line: string): void {
    const input = parseInput(line, this.tools)
    if (input._tag === "Nothing") return
    this.tell()
    this.view.print([
      "",
      ...wrap(prompt + visibleLine(line.trimEnd()), this.view.width).map(this.view.style.bold),
    ])
    this.perform(input)
  }

  private perform(input: Exclude<Input, { _tag: "Nothing" }>): void {
    if (input._tag === "Unknown") return this.say(input.message)
    if (input._tag === "Call") {
      const { name, params, background } = input
      this.calls += 1
      const call = { callId: String(this.calls), name, params, background }
      this.view.blocks.set(queuedBlock(call))
      this.executor.enqueue([call])
      return
    }
    performCommand(input, {
      executor: this.executor,
      tools: this.tools,
      view: this.view,
      corrections: this.corrections,
      show: (event) => this.show(event),
      say: (text) => this.say(text),
      leave: () => void this.leave(),
    })
  }
}
