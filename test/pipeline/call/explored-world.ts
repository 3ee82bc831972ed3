/**
 * A small model of the world around `transition`: the mailbox, the lanes, the pool, the stack of actions, and the actor
 * that carries commands out. Each world is copied before it is changed, call by call. It throws a Violation where
 * something is done that must not be.
 */

import type { ResolvePart } from "../../../src/model/pipeline.ts"
import type { StagedAction } from "../../../src/model/staged-action.ts"
import type { Call } from "../../../src/pipeline/call/call.ts"
import type { Command } from "../../../src/pipeline/call/command.ts"
import type { Input } from "../../../src/pipeline/call/input.ts"
import type { CallState } from "../../../src/pipeline/call/state.ts"
import type { transition } from "../../../src/pipeline/call/transition.ts"
import type { ResolveParams } from "../../../src/resolve/definition.ts"
import { resolvingParts } from "../../../src/snapshots/read-snapshot.ts"
import { shapeOf } from "../../../src/snapshots/snapshot.ts"
import { callKey } from "./call-key.ts"
import {
  type CallSpec,
  cloneCall,
  type ExploredAction,
  type ExploredCall,
  makeCall,
  partsOf,
} from "./explored-call.ts"
import { cleanupAnew, over, type Restart, restarted } from "./explored-restart.ts"
import * as checks from "./invariants.ts"

export type Transition = typeof transition

interface Lane {
  readonly current: number
  readonly waiting: ReadonlyArray<number>
}

interface Mail {
  readonly to: number
  readonly command: Command
}

export interface Step {
  readonly label: string
  readonly before: Step | undefined
}

/** What is explored. */
export interface Scenario {
  readonly name: string
  readonly calls: ReadonlyArray<CallSpec>
  readonly places: number
  /** How often in one history the ordinary way may be left. */
  readonly deviations: number
  /** Whether that may be because the process ends, and another one goes on with its calls. */
  readonly restarts?: boolean
}

/** Told what each input and each command did. */
export interface Observer {
  moved?(from: CallState, input: Input, to: CallState, commands: ReadonlyArray<Command>): void
}

const nobody = -1
const maxActions = 3

/** Each command in the mailbox as a number. */
const commandCodes = new Map<string, number>()
const codeOf = ({ _tag }: Command): number => {
  let code = commandCodes.get(_tag)
  if (code === undefined) {
    code = commandCodes.size
    commandCodes.set(_tag, code)
  }
  return code
}

export class ExploredWorld {
  calls: Array<ExploredCall>
  mailbox: Array<Mail>
  lanes: Map<string, Lane>
  actions: Array<ExploredAction>
  readonly places: number
  free: number
  waiting: Array<number>
  /** How many deviations from the ordinary way are left. */
  budget: number
  /** Whether its process may end, and another one go on. */
  readonly restarts: boolean
  steps: Step | undefined
  private readonly transition: Transition
  private readonly observer: Observer
  private readonly owned = new Set<number>()

  private constructor(
    from: Pick<
      ExploredWorld,
      "calls" | "mailbox" | "lanes" | "actions" | "places" | "free" | "waiting" | "budget" | "restarts"
    >,
    transition: Transition,
    observer: Observer,
    steps?: Step,
  ) {
    this.calls = [...from.calls]
    this.mailbox = [...from.mailbox]
    this.lanes = new Map(from.lanes)
    this.actions = from.actions.map((action) => ({ ...action }))
    this.places = from.places
    this.free = from.free
    this.waiting = [...from.waiting]
    this.budget = from.budget
    this.restarts = from.restarts
    this.transition = transition
    this.observer = observer
    this.steps = steps
  }

  static of(
    { calls, places, deviations: budget, restarts = false }: Scenario,
    transition: Transition,
    observer: Observer = {},
  ): ExploredWorld {
    const none = {
      calls: [],
      mailbox: [],
      lanes: new Map(),
      actions: [],
      places,
      free: places,
      waiting: [],
      budget,
      restarts,
    }
    const world = new ExploredWorld(none, transition, observer)
    for (const spec of calls) world.join(spec)
    world.seal()
    return world
  }

  /** A copy, with one step more. */
  after(label: string, cost: number): ExploredWorld {
    const world = new ExploredWorld(this, this.transition, this.observer, { label, before: this.steps })
    world.budget -= cost
    return world
  }

  /** Makes the keys of what was changed; checks what must hold in every state. */
  seal(): void {
    for (const index of this.owned) {
      const call = this.calls[index]!
      call.key = callKey(call, this.actions)
    }
    this.owned.clear()
    checks.everyState(this)
  }

  get key(): string {
    let key = ""
    for (const call of this.calls) key += call.key
    for (const { to, command } of this.mailbox) key += String.fromCharCode(1 + to * 64 + codeOf(command))
    key += String.fromCharCode(0, this.free)
    for (const index of this.waiting) key += String.fromCharCode(index)
    for (const { current, waiting } of this.lanes.values()) {
      key += String.fromCharCode(0, current + 1, ...waiting)
    }
    for (const { status } of this.actions) key += status[0]! + status[1]!
    return key
  }

  // --- What may happen

  /** Does the first command of the mailbox. */
  deliver(): void {
    const { to, command } = this.mailbox.shift()!
    this.execute(to, command)
  }

  /** Gives an input to a call. False where it changed nothing. */
  receive(index: number, input: Input): boolean {
    const call = this.own(index)
    const { record, side } = call
    const from = checks.before(record)
    const sent = this.mailbox.length
    const out = { push: (command: Command) => this.mailbox.push({ to: index, command }) }
    const took = this.transition(record, input, out)
    const commands = this.mailbox.length === sent ? [] : this.mailbox.slice(sent).map((mail) => mail.command)
    checks.input(call, from, input, took, commands)
    if (took && input._tag === "Admitted") {
      side.owed = input.finals.length
      side.ran = 0
      side.lastAt = -1
      side.ownGates = 0
    }
    if (took) this.observer.moved?.(from.state, input, record.state, commands)
    return took
  }

  /** Drops what is pending of an agent: of each action only the finally handlers run. */
  clear(agent: string): void {
    for (const action of this.actions) {
      if (action.agent !== agent || action.status !== "pending") continue
      action.status = "dropped"
      const index = this.calls.length
      const spec = { agent, shape: "", outside: true, drops: action.staged.actionId }
      this.calls.push(makeCall(spec, index))
      this.drop(index, action.staged)
    }
  }

  /** Its process ends where it stands, and another one goes on with what was written down: actions first, then calls. */
  restart(how: Restart): void {
    this.mailbox = []
    this.lanes = new Map()
    this.waiting = []
    this.free = this.places
    for (const action of this.actions) this.restartAction(action, how)
    const before = this.calls
    before.forEach((call, index) => {
      const { spec, side } = call
      this.owned.add(index)
      if (side.toldEnd) this.calls[index] = over(call)
      else if (spec.drops === undefined) {
        this.calls[index] = restarted(call, before, how, (actionId) => this.reclaim(actionId))
        this.line(index)
      } else if (how.tools !== "same") this.calls[index] = over(call)
      else this.drop(index, this.actions.find(({ staged }) => staged.actionId === spec.drops)!.staged)
    })
  }

  /** What is claimed is pending again, unless its call has resolved it. One whose tool has changed is dropped. */
  private restartAction(action: ExploredAction, { tools }: Restart): void {
    const { staged, status } = action
    if (status !== "claimed" && status !== "pending") return
    const resolved = this.calls.find(({ record, side }) => !side.toldEnd && record.links.settled === staged)
    if (resolved !== undefined) checks.settle(action, resolved.record)
    else action.status = tools === "same" ? "pending" : "dropped"
  }

  private reclaim(actionId: string): StagedAction {
    const action = this.actions.find(({ staged }) => staged.actionId === actionId)!
    if (action.status !== "pending") throw new Error("It is not pending any more")
    action.status = "claimed"
    return action.staged
  }

  private drop(index: number, action: StagedAction): void {
    this.calls[index] = cleanupAnew(this.calls[index]!.spec, index, action)
    this.owned.add(index)
    this.receive(index, { _tag: "Drop", action })
  }

  own(index: number): ExploredCall {
    if (!this.owned.has(index)) {
      this.owned.add(index)
      this.calls[index] = cloneCall(this.calls[index]!)
    }
    return this.calls[index]!
  }

  // --- The actor

  private join(spec: CallSpec): void {
    const index = this.calls.length
    const call = makeCall(spec, index)
    this.calls.push(call)
    this.owned.add(index)
    this.line(index)
  }

  /** Where it waits for its turn. */
  private line(index: number): void {
    const { spec, side } = this.calls[index]!
    const lane = this.lanes.get(spec.agent)
    if (spec.outside || spec.background || spec.refused) side.turnDue = true
    else if (lane === undefined) {
      this.lanes.set(spec.agent, { current: index, waiting: [] })
      side.turnDue = true
    } else this.lanes.set(spec.agent, { ...lane, waiting: [...lane.waiting, index] })
  }

  private execute(index: number, command: Command): void {
    const call = this.own(index)
    const { record, side } = call
    checks.command(call, command)
    switch (command._tag) {
      case "Prepare":
        if (record.state._tag !== "Preparing") return
        side.preparing = true
        return
      case "TellStarted":
        side.toldStarted = true
        return
      case "Announce":
        this.receive(index, { _tag: "Announced" })
        if (record.announced === "yes") checks.tellBackground(call)
        return
      case "Run":
        return this.run(index, call)
      case "Reply":
        if (record.reply === undefined) return
        record.reply = undefined
        side.midway = false
        return
      case "Stream":
        if (record.state._tag === "Running" || record.state._tag === "Cleaning") side.flowing = record.run
        return
      case "Rule":
      case "Review": {
        const { state } = record
        if (state._tag === "Asking" && state.question.kind === "approval" && !state.question.isAsked) {
          side.ruling = state.question.id
        }
        return
      }
      case "Ask":
        return askHost(call)
      case "CloseQuestion":
        checks.close(call)
        side.openAsk = 0
        return
      case "Remember":
        return
      case "TakePlace":
        if (record.place !== "asked") return
        if (this.free === 0 || this.waiting.length > 0) {
          this.waiting.push(index)
          return
        }
        this.free -= 1
        side.hasPlace = true
        this.receive(index, { _tag: "Placed" })
        return
      case "ReleasePlace":
        if (record.place !== "held") this.release(index, call)
        return
      case "LeaveLane":
        return this.leave(index)
      case "Stage":
        if (record.state._tag === "Running") this.stage(index, call)
        return
      case "SettleAction":
        checks.settle(this.find(command.action), record)
        side.owed = command.action.finals.length
        side.ran = 0
        return
      case "RestoreAction":
        checks.restore(this.find(command.action))
        return
      case "Interrupt":
        side.inflight = 0
        side.reading = false
        side.midway = false
        side.openAsk = 0
        side.preparing = false
        if (record.state._tag === "Stopping") side.ending = record.run + 1
        return
      case "Close":
        if (record.state._tag !== "Stopping") return
        side.reading = false
        side.ending = record.run + 1
        return
      case "RunFinal":
        return runFinal(call)
      case "Judge":
        side.judging = true
        return
      case "TellEnd":
        checks.tellEnd(call)
        this.leave(index)
    }
  }

  private run(index: number, call: ExploredCall): void {
    const { record, side } = call
    if (record.state._tag !== "Running" || side.begun === record.run) return
    side.begun = record.run
    const { resolves } = call.spec
    if (resolves !== undefined && record.links.resolving === undefined) {
      const action = this.actions.findLast((a) => a.agent === call.spec.agent && a.status === "pending")
      if (action !== undefined) {
        action.status = "claimed"
        side.lastAt = -1
        const params = record.toolCall.params as ResolveParams
        const parts = resolvingParts(action.staged, params)
        this.receive(index, { _tag: "Claimed", action: action.staged, params, parts })
        return
      }
    }
    checks.run(call)
    side.inflight = record.run
    side.lastAt = record.at
  }

  private release(index: number, { side }: ExploredCall): void {
    if (!side.hasPlace) {
      this.waiting = this.waiting.filter((other) => other !== index)
      return
    }
    side.hasPlace = false
    this.free += 1
    while (this.free > 0 && this.waiting.length > 0) {
      const next = this.waiting.shift()!
      this.free -= 1
      this.own(next).side.hasPlace = true
      if (this.receive(next, { _tag: "Placed" })) continue
      this.own(next).side.hasPlace = false
      this.free += 1
    }
  }

  private leave(index: number): void {
    const { agent } = this.calls[index]!.spec
    let lane = this.lanes.get(agent)
    if (lane?.current !== index) return
    lane = { current: nobody, waiting: lane.waiting }
    this.lanes.set(agent, lane)
    while (lane.current === nobody && lane.waiting.length > 0) {
      const [next, ...waiting] = lane.waiting as [number, ...Array<number>]
      this.lanes.set(agent, { current: next, waiting })
      const took = this.receive(next, { _tag: "Turn" })
      lane = this.lanes.get(agent)!
      if (!took && lane.current === next) {
        lane = { ...lane, current: nobody }
        this.lanes.set(agent, lane)
      }
    }
  }

  private stage(index: number, { record, side, spec }: ExploredCall): void {
    const { action: before, at, parts, output } = record
    if (before !== undefined) checks.settle(this.find(before), record)
    const agent = spec.agent
    const kept = this.actions.filter((a) => a.agent === agent && /pending|claimed/.test(a.status))
    if (kept.length >= maxActions) {
      this.receive(index, { _tag: "Unstaged", message: "Too many" })
      return
    }
    const { label, onDiscard } = parts[at] as ResolvePart<unknown>
    const { name, params } = record.toolCall
    const actionId = `action${this.actions.length}`
    const staged: StagedAction = {
      actionId,
      label,
      sourceToolName: name,
      source: before?.source ?? { name, params },
      staging: stagingOf(record),
      output,
      memory: record.memory,
      rest: parts.slice(at + 1),
      onDiscard,
      finals: before?.finals ?? record.finals,
    }
    this.actions.push({ staged, agent, status: "pending" })
    side.owed = 0
    this.receive(index, { _tag: "Staged", actionId, label })
  }

  private find(staged: StagedAction): ExploredAction {
    return this.actions.find((action) => action.staged === staged)!
  }
}

const stagingOf = ({ action, toolCall: call, at, parts }: Call): StagedAction["staging"] => {
  const before = action?.staging
  if (before === undefined) return { call, at: at + 1, shape: shapeOf(parts), toolVersion: undefined }
  return { ...before, at: before.at + at + 1 }
}

const askHost = ({ record, side }: ExploredCall): void => {
  const { state } = record
  const question = state._tag === "Asking" || state._tag === "Cleaning" ? state.question : undefined
  if (question === undefined) return
  if (question.kind === "approval") {
    if (!question.isAsked) return
  } else {
    if (question.isAsked) return
    question.isAsked = true
  }
  checks.ask(side, question)
  side.openAsk = question.id
}

const runFinal = (call: ExploredCall): void => {
  const { record, side } = call
  const { state } = record
  if (state._tag !== "Cleaning" || side.begun === record.run) return
  side.begun = record.run
  checks.runFinal(call, state.part)
  side.ran = state.part + 1
  side.inflight = record.run
}

/** The number of the last gate that is asked of the host. */
const lastGate = (shape: string, isApproved: boolean): number => {
  const gates = shape.replace(/[^gG]/g, "")
  return isApproved ? gates.lastIndexOf("G") + 1 : gates.length
}

/** What a call is composed of. */
export const admitted = (call: ExploredCall): Extract<Input, { readonly _tag: "Admitted" }> => {
  const { shape } = call.spec
  const parts = call.spec.resolves === undefined ? partsOf(shape) : partsOf("p")
  const firstPreview = shape.search(/r/i)
  const asked = firstPreview < 0 ? shape : shape.slice(0, firstPreview)
  return {
    _tag: "Admitted",
    params: call.record.toolCall.params,
    parts,
    finals: parts.filter((part) => part.kind === "finally"),
    gates: lastGate(asked, call.record.toolCall.decision === "approve"),
  }
}
