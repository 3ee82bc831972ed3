/**
 * A session without a screen: its lines come from a pipe, or are typed into a terminal that can only print. Each line's call
 * ends before the next line is read; background calls continue, and are awaited at the end.
 */
import { createInterface } from "node:readline"
import { noteOn } from "../hosts/named-gate.ts"
import { answerEffect } from "../hosts/terminal/answer-effect.ts"
import { queuedBlock } from "../hosts/terminal/block.ts"
import { callableTools, type Input, parseInput } from "../hosts/terminal/input.ts"
import { PlainView } from "../hosts/terminal/plain-view.ts"
import { printable } from "../hosts/terminal/printable.ts"
import { printedBlock } from "../hosts/terminal/printed-block.ts"
import { ruleText } from "../hosts/terminal/remembered-rules.ts"
import { renderGate } from "../hosts/terminal/render-gate.ts"
import { visibleLine } from "../hosts/terminal/render-text.ts"
import { performCommand } from "../hosts/terminal/session-commands.ts"
import { loadCorrections } from "../io/corrections.ts"
import { type AwaitingApprovalEvent, type ToolEvent, unattended } from "../model/event.ts"
import type { ListedApproval } from "../pipeline/questions/answer-list.ts"
import { leavesSandbox } from "../sandbox/sandbox-filters.ts"
import { type LocalExecutor, localExecutor } from "./local-executor.ts"
import { openPage } from "./page.ts"
import { personOf } from "./person.ts"
import { detailsOf, endOf, type RunOptions, unasked, unaskedOutside, unaskedPerson } from "./run-command.ts"
import { Stopping } from "./stopping.ts"
import { exitStatus, Tally } from "./tally.ts"
import { tell } from "./tell.ts"
import { untilQuiet } from "./until-quiet.ts"

/** Reads lines of an input on demand. */
class Lines {
  private readonly waiting: Array<string> = []
  private wanted: ((line: string | undefined) => void) | undefined
  private hasEnded = false
  /** When the last line arrived. */
  private cameAt = Number.NEGATIVE_INFINITY

  constructor(input: NodeJS.ReadableStream) {
    const lines = createInterface({ input, terminal: false, crlfDelay: Number.POSITIVE_INFINITY })
    lines.on("line", (line) => {
      this.cameAt = performance.now()
      if (this.wanted === undefined) this.waiting.push(line)
      else this.give(line)
    })
    lines.on("close", () => {
      this.hasEnded = true
      this.give(undefined)
    })
  }

  /** Resolves with the next line; undefined after the last. */
  next(): Promise<string | undefined> {
    const line = this.waiting.shift()
    if (line !== undefined || this.hasEnded) return Promise.resolve(line)
    return this.fresh()
  }

  /** Resolves with a line that arrives from now on: earlier ones were typed for something else. */
  fresh(): Promise<string | undefined> {
    if (this.hasEnded) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      this.wanted = resolve
    })
  }

  /** Resolves once a person has had time to read the printed text, without typing a line meanwhile. */
  quiet(): Promise<void> {
    return untilQuiet(
      () => this.cameAt,
      () => this.hasEnded,
    )
  }

  private give(line: string | undefined): void {
    const { wanted } = this
    this.wanted = undefined
    wanted?.(line)
  }
}

/** Whether a person types the lines and sees the output. */
const isSomebodyThere = (): boolean => process.stdin.isTTY && process.stdout.isTTY

type GateAnswer = { readonly approve: ListedApproval } | { readonly deny: true | string }

const nobodyElse = "Others have to approve this call, and nobody else is asked here."

class LineSession {
  private readonly local: LocalExecutor
  private readonly by: string | undefined
  private readonly options: RunOptions
  private readonly lines: Lines
  private readonly view: PlainView
  private readonly tally = new Tally()
  private readonly gates: Array<AwaitingApprovalEvent> = []
  private readonly ended = new Set<string>()
  private onNews: (() => void) | undefined
  private calls = 0
  private hasLeft = false
  private isWrong = false

  constructor(local: LocalExecutor, lines: Lines, options: RunOptions) {
    this.local = local
    this.lines = lines
    this.options = options
    this.by = personOf(options.as)
    const { executor } = local
    this.view = new PlainView({
      output: process.stdout,
      colors: false,
      tool: (name) => executor.agent().tool(name),
    })
  }

  /** @param first A line that was already read. Resolves with the exit status. */
  async run(first: string | undefined): Promise<number> {
    const { executor } = this.local
    const told = this.tellEvents()
    for (
      let line = first ?? (await this.ask());
      line !== undefined && !this.hasLeft;
      line = await this.ask()
    ) {
      await this.perform(line)
    }
    if (!this.hasLeft) await this.until(() => this.haveEnded())
    const down = executor.shutdown()
    await told
    await down
    const { dropped } = this.tally
    for (const label of dropped) process.stderr.write(`stepline: not applied: ${visibleLine(label)}\n`)
    return this.isWrong ? exitStatus.failed : this.tally.exitStatus
  }

  /** Whether all calls of the session and all tasks have ended. */
  private haveEnded(): boolean {
    for (let call = 1; call <= this.calls; call += 1) if (!this.ended.has(String(call))) return false
    return this.local.executor.tasks.list().every(({ id }) => this.ended.has(id))
  }

  leave(): void {
    this.hasLeft = true
    this.news()
    void this.local.executor.shutdown()
  }

  private ask(): Promise<string | undefined> {
    if (isSomebodyThere()) process.stdout.write("› ")
    return this.lines.next()
  }

  private async perform(line: string): Promise<void> {
    const { executor, cwd } = this.local
    const tools = callableTools(executor)
    const input = parseInput(line, tools)
    switch (input._tag) {
      case "Nothing":
        return
      case "Unknown":
        this.isWrong = true
        return this.say(input.message)
      case "Call":
        return this.call(input)
      case "Command": {
        const done = performCommand(input, {
          executor,
          tools,
          view: this.view,
          corrections: () => loadCorrections(cwd, { limit: Number.POSITIVE_INFINITY }),
          show: (event) => this.show(event),
          say: (text) => this.say(text),
          leave: () => this.leave(),
        })
        let isDone = done === undefined
        void done?.then(() => {
          isDone = true
          this.news()
        })
        return this.until(() => isDone)
      }
    }
  }

  private async call({ name, params, background }: Extract<Input, { _tag: "Call" }>): Promise<void> {
    this.calls += 1
    const call = { callId: String(this.calls), name, params, background }
    this.tally.expect(call.callId, "complete")
    this.view.blocks.set(queuedBlock(call))
    this.local.executor.enqueue([call])
    if (!background) await this.until(() => this.ended.has(call.callId))
  }

  /** Waits, and answers gates meanwhile. */
  private async until(holds: () => boolean): Promise<void> {
    while (!this.hasLeft) {
      const gate = this.gates.shift()
      if (gate !== undefined) await this.decide(gate)
      else if (holds()) return
      else {
        await new Promise<void>((resolve) => {
          this.onNews = resolve
        })
      }
    }
  }

  private news(): void {
    const { onNews } = this
    this.onNews = undefined
    onNews?.()
  }

  private async tellEvents(): Promise<void> {
    for await (const event of this.local.executor.events) this.show(event)
  }

  private show(event: ToolEvent): void {
    const details = detailsOf(event, this.local.executor.tasks)
    if (event._tag === "Delegate") answerEffect(event)
    if (event._tag === "ActionResolved") this.tally.resolved(event)
    const block = this.view.apply(event)
    const printed = block && printedBlock(event, block, this.local.executor.tasks)
    const isStaged = event._tag === "Completed" && event.staged !== undefined
    if (printed !== undefined) this.view.printBlock(printed, isStaged)
    if (isStaged) this.say("/apply makes these changes, /discard drops them.")
    const status = endOf(event)
    if (status !== undefined && "callId" in event && event.parentId === undefined) {
      this.tally.ended(event.callId, status, details)
      this.ended.add(event.callId)
    }
    if (event._tag === "AwaitingApproval") this.gates.push(event)
    this.news()
  }

  private async decide(gate: AwaitingApprovalEvent): Promise<void> {
    const { callId } = gate
    const isPersons = gate.person === true
    const { ui, yes } = this.options
    // The page asks instead.
    if (ui === true && !isSomebodyThere() && (isPersons || yes !== true)) return
    if (isPersons && !isSomebodyThere())
      gate.deny(leavesSandbox(gate.params) ? unaskedOutside : unaskedPerson, unattended)
    else if (this.options.yes === true && !isPersons) {
      gate.approve()
      this.view.approved(callId)
    } else if (!isSomebodyThere()) gate.deny(unasked(gate), unattended)
    else await this.askPerson(gate)
  }

  /** Prints the whole block before it asks. */
  private async askPerson(gate: AwaitingApprovalEvent): Promise<void> {
    const block = this.view.blocks.get(gate.callId)
    if (block === undefined) return
    const tool = this.local.executor.agent().tool(block.toolName)
    const remembers = tool && this.local.filters.rememberable(tool, block.params)
    const { header, rows, keys } = renderGate(block, {
      width: this.view.width,
      now: Date.now(),
      colors: false,
      remembers: remembers?.map(ruleText) ?? false,
      ...(tool !== undefined && { tool }),
    })
    this.view.print([header, ...rows])
    await this.lines.quiet()
    for (;;) {
      process.stdout.write(`${keys} `)
      const line = await this.lines.fresh()
      const [, word = "", reason = ""] = /^\s*(\S*)\s*(.*?)\s*$/.exec(line ?? "n")!
      if (/^(?:y|yes)$/i.test(word) || (/^(?:a|always)$/i.test(word) && remembers !== undefined)) {
        return this.answer(gate, { approve: /^a/i.test(word) ? { remember: true } : true })
      }
      if (/^(?:n|no)$/i.test(word)) {
        return this.answer(gate, { deny: reason || true })
      }
    }
  }

  private answer(gate: AwaitingApprovalEvent, answer: GateAnswer): void {
    const { callId } = gate
    const { by, options } = this
    const list = [{ callId, question: gate, ...answer }]
    const [outcome] = this.local.executor.answer(list, by === undefined ? undefined : { by })
    const note = noteOn(outcome!)
    if (note !== undefined) this.say(note)
    else if ("approve" in answer) this.view.approved(callId)
    // On the page, somebody else can answer; without it there is nobody, and the call would wait forever.
    if (note !== undefined && options.ui !== true) gate.deny(nobodyElse, unattended)
  }

  private say(text: string): void {
    this.view.print(printable(text).split("\n"))
  }
}

/** Resolves with the exit status; undefined if there is no line at all. */
export const linesCommand = async (options: RunOptions): Promise<number | undefined> => {
  const lines = new Lines(process.stdin)
  const first = process.stdin.isTTY ? undefined : await lines.next()
  if (first === undefined && !process.stdin.isTTY) return undefined
  const local = await localExecutor(options)
  const session = new LineSession(local, lines, options)
  const stopping = new Stopping()
  void stopping.asked.then(() => session.leave())
  for (const problem of await local.start()) tell(problem)
  const page = await openPage(local, options, tell)
  try {
    const status = await session.run(first)
    return stopping.status ?? status
  } finally {
    await page?.close()
    await local.close()
    stopping.end()
  }
}
