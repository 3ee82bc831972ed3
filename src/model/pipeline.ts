/** A tool call's plan: an immutable chain of parts. Every builder method returns a new pipeline. */
import { type ApprovalOptions, type GatePart, gatePart, plainGate } from "./gate.ts"
import { expectSpelled, got } from "./got.ts"
import type { CallMemory, EffectHandler, HandlerFunction, Needs } from "./handler.ts"
import { isStep, Step } from "./step.ts"

/** A handler as a part of a pipeline. */
export interface HandlerPart<R = never> {
  readonly kind: "handler"
  readonly name: string
  readonly handler: EffectHandler<R>
}

/** A gate that the model decides later, with the tool `resolve`: the call completes here with its preview. */
export interface ResolvePart<R = never> {
  readonly kind: "resolve"
  readonly name: string
  readonly label: string
  readonly sourceToolName: string | undefined
  readonly details: unknown
  readonly onDiscard: EffectHandler<R> | undefined
}

/** A handler that runs after the others have ended, however they ended. */
export interface FinallyPart<R = never> {
  readonly kind: "finally"
  readonly name: string
  readonly handler: EffectHandler<R>
}

/** The parts of a pipeline, by `kind`. */
export type PipelinePart<R = never> = HandlerPart<R> | GatePart | ResolvePart<R> | FinallyPart<R>

/** A part by name and kind, for hosts that show a plan before anything runs. Plain JSON. */
export interface PartDescription {
  readonly kind: PipelinePart["kind"]
  readonly name: string
  readonly label?: string
  /** Set for a gate that only a person passes. */
  readonly person?: true
}

/** The options of `awaitResolve`. */
export interface ResolveOptions<R = never> {
  /** The change that the preview shows, in a few words; displayed with the result. */
  readonly label: string
  /** Default: the tool's name. */
  readonly sourceToolName?: string
  /** Data for hosts that list pending actions; no result shows the details. */
  readonly details?: unknown
  /** Runs when the preview is discarded. Its output, if any, is the result. */
  readonly onDiscard?: EffectHandler<R> | HandlerFunction<R>
}

/** Describes a part for hosts. */
export const describePart = (part: PipelinePart<unknown>): PartDescription => {
  const { kind, name } = part
  const label = kind === "approval" || kind === "resolve" ? part.label : undefined
  const person = kind === "approval" && part.person === true
  return { kind, name, ...(label !== undefined && { label }), ...(person && { person }) }
}

/** The displayed name of a handler: always a string, whatever `name` is. */
const shownName = (named: { readonly name: string }): string => {
  try {
    const { name } = named
    return typeof name === "string" && name !== "" ? name : "anonymous"
  } catch {
    return "anonymous"
  }
}

/**
 * A function as a part, which is its own handler: pipelines are built again for every call, and kept while it waits. The name
 * is computed when it is read, because this costs more than all the rest.
 */
class PlacedFunction<R, Kind extends "handler" | "finally"> implements EffectHandler<R> {
  readonly kind: Kind
  readonly call: EffectHandler<R>["call"]

  constructor(kind: Kind, call: EffectHandler<R>["call"]) {
    this.kind = kind
    this.call = call
  }

  /** Not a field: a part that holds itself cannot be written as JSON. */
  get handler(): EffectHandler<R> {
    return this
  }

  get name(): string {
    return shownName(this.call)
  }
}

/** A handler as a part, under its own name. */
class Placed<R, Kind extends "handler" | "finally"> {
  readonly kind: Kind
  readonly handler: EffectHandler<R>

  constructor(kind: Kind, handler: EffectHandler<R>) {
    this.kind = kind
    this.handler = handler
  }

  get name(): string {
    return shownName(this.handler)
  }
}

const checkedHandler = <R>(value: EffectHandler<R>): EffectHandler<Needs<R>> => {
  if (typeof value?.call === "function") return value as EffectHandler<Needs<R>>
  const advice = isStep(value) ? ". Write a function that returns the Step" : ""
  throw new TypeError(
    `Expected an effect handler or a function of the handler's context, ${got(value)}${advice}`,
  )
}

const placed = <R, Kind extends "handler" | "finally", Memory extends object>(
  kind: Kind,
  value: EffectHandler<R> | HandlerFunction<R, Memory>,
): Placed<Needs<R>, Kind> | PlacedFunction<Needs<R>, Kind> =>
  typeof value === "function"
    ? new PlacedFunction(kind, value as unknown as HandlerFunction<Needs<R>>)
    : new Placed(kind, checkedHandler(value))

const toHandler = <R>(value: EffectHandler<R> | HandlerFunction<R>): EffectHandler<Needs<R>> =>
  typeof value === "function" ? placed("handler", value).handler : checkedHandler(value)

/** An immutable plan of a call. `R` are the services that its handlers' Effects need. */
export class ToolPipeline<R = never> {
  /** The parts in the order in which they were added; finally handlers run after all others. */
  readonly steps: ReadonlyArray<PipelinePart<R>>

  private constructor(steps: ReadonlyArray<PipelinePart<R>> = []) {
    this.steps = steps
  }

  static readonly empty: ToolPipeline = new ToolPipeline()

  /** A pipeline that fails with this message, for `compose` functions that cannot build one. */
  static error(message: string, options?: { readonly cause?: unknown }): ToolPipeline {
    return ToolPipeline.empty.andThen({ name: "error", call: () => Step.Error(message, options) })
  }

  /** Adds a handler that runs next. (Not `then`: an object with that method would be a promise to `await`.) */
  andThen<R2 = never, Memory extends object = CallMemory>(
    next: EffectHandler<R2> | HandlerFunction<R2, Memory>,
  ): ToolPipeline<R | Needs<R2>> {
    return this.with(placed("handler", next))
  }

  /** Adds a gate: the call waits here for its host's decision. */
  awaitApproval(options?: ApprovalOptions): ToolPipeline<R> {
    return this.with(options === undefined ? plainGate : gatePart(options))
  }

  /**
   * Adds a gate that the model decides: the call completes with the output so far as its preview, and the following parts
   * run when `resolve` applies the preview. Finally handlers wait until it is applied, discarded or dropped.
   */
  awaitResolve<R2 = never>(options: ResolveOptions<R2>): ToolPipeline<R | Needs<R2>> {
    const { label, sourceToolName, details, onDiscard } = options ?? {}
    if (typeof label !== "string") throw new TypeError("Expected `label` of `awaitResolve` to be a string")
    expectSpelled("`awaitResolve`", options, ["label", "sourceToolName", "details", "onDiscard"])
    const discard = onDiscard === undefined || onDiscard === null ? undefined : toHandler(onDiscard)
    return this.with({
      kind: "resolve",
      name: "awaitResolve",
      label,
      sourceToolName,
      details,
      onDiscard: discard,
    })
  }

  /** Adds a handler that always runs at the end: after success, error, denial, time-out, cancel and shutdown. */
  finally<R2 = never, Memory extends object = CallMemory>(
    cleanup: EffectHandler<R2> | HandlerFunction<R2, Memory>,
  ): ToolPipeline<R | Needs<R2>> {
    return this.with(placed("finally", cleanup))
  }

  /**
   * The same plan with other handlers, such as ones that record their steps in another engine. `change` receives each handler, also that
   * of a discard, with the index of its part in `steps`. Keep the names: a restored call is recognized by them.
   */
  map<R2 = never>(
    change: (handler: EffectHandler<R>, index: number) => EffectHandler<R2> | HandlerFunction<R2>,
  ): ToolPipeline<Needs<R2>> {
    const parts = this.steps.map((part, index): PipelinePart<Needs<R2>> => {
      if (part.kind === "approval") return part
      if (part.kind !== "resolve") return placed(part.kind, change(part.handler, index))
      const { onDiscard } = part
      return { ...part, onDiscard: onDiscard && toHandler(change(onDiscard, index)) }
    })
    return new ToolPipeline(parts)
  }

  /** The parts that run after a denial: the finally handlers alone. */
  skipToFinally(): ToolPipeline<R> {
    return new ToolPipeline(this.steps.filter((part) => part.kind === "finally"))
  }

  get length(): number {
    return this.steps.length
  }

  get isEmpty(): boolean {
    return this.steps.length === 0
  }

  describe(): Array<PartDescription> {
    return this.steps.map(describePart)
  }

  private with<R2>(part: PipelinePart<R2>): ToolPipeline<R | R2> {
    // Copied in a loop, because every call pays for it: a spread is slower and allocates sixteen spare slots.
    const { length } = this.steps
    const parts = new Array<PipelinePart<R | R2>>(length + 1)
    for (let i = 0; i < length; i++) parts[i] = this.steps[i]!
    parts[length] = part
    return new ToolPipeline<R | R2>(parts)
  }
}

const noFinals: ReadonlyArray<never> = []

/** The finally parts, in order. */
export const finallyPartsOf = <R>(parts: ReadonlyArray<PipelinePart<R>>): ReadonlyArray<FinallyPart<R>> => {
  let finals: Array<FinallyPart<R>> | undefined
  for (const part of parts) {
    if (part.kind !== "finally") continue
    // `push` or `filter` would make even the array of one with sixteen spare slots, which every call would keep.
    if (finals === undefined) finals = [part]
    else finals.push(part)
  }
  return finals ?? noFinals
}

/** The empty pipeline, to build on. */
export const pipeline = (): ToolPipeline => ToolPipeline.empty
