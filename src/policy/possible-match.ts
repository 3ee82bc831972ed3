/**
 * Whether a regular expression could match a text with unknown parts: `^npm publish` and `npm …`. It is never false by mistake:
 * syntax that it does not follow (lookaround, word boundaries, backreferences) counts as fulfilled.
 */

import type { BoundedPattern } from "./bounded-pattern.ts"
import { perPattern } from "./per-pattern.ts"

/** A part of a text: a string, or undefined for any text. */
export type Piece = string | undefined

/** One of the alternatives, or nothing if the segment is optional. */
export interface Segment {
  readonly alternatives: ReadonlyArray<ReadonlyArray<Piece>>
  readonly optional: boolean
  /** The alternatives if the text begins only here. */
  readonly beginnings?: ReadonlyArray<ReadonlyArray<Piece>>
}

type State =
  | { readonly _tag: "Character"; readonly accepts: (character: string) => boolean; next: number }
  | { readonly _tag: "Split"; readonly next: Array<number> }
  | { readonly _tag: "Start" | "End"; readonly next: number }
  | { readonly _tag: "Accept" }

/** More than any handwritten pattern has. A larger pattern counts as matching. */
const maxStates = 4000

class TooLarge extends Error {}

/** Compiles backwards: each part receives the state that follows it, and returns the state that it begins with. */
type Part = (next: number) => number

class Compiler {
  readonly states: Array<State> = [{ _tag: "Accept" }]
  private readonly source: string
  private at = 0

  constructor(source: string) {
    this.source = source
  }

  compile(): number {
    const part = this.alternatives()
    if (this.at < this.source.length) throw new TooLarge()
    return part(0)
  }

  private add(state: State): number {
    if (this.states.length >= maxStates) throw new TooLarge()
    return this.states.push(state) - 1
  }

  private match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.source) ?? undefined
    this.at += found?.[0].length ?? 0
    return found
  }

  private alternatives(): Part {
    const parts = [this.sequence()]
    while (this.match(/\|/y) !== undefined) parts.push(this.sequence())
    if (parts.length === 1) return parts[0]!
    return (next) => this.add({ _tag: "Split", next: parts.map((part) => part(next)) })
  }

  private sequence(): Part {
    const parts: Array<Part> = []
    while (this.at < this.source.length && !/[|)]/.test(this.source[this.at]!)) parts.push(this.term())
    return (next) => parts.reduceRight((state, part) => part(state), next)
  }

  private term(): Part {
    const part = this.atom()
    const quantifier = this.match(/(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/y)
    if (quantifier === undefined) return part
    const [, sign, least, comma, most] = quantifier
    if (sign === "?") return this.optional(part)
    if (sign === "*") return this.repeated(part)
    if (sign === "+") return (next) => part(this.repeated(part)(next))
    const from = Number(least)
    const to = comma === "" ? from : most === "" ? Number.POSITIVE_INFINITY : Number(most)
    // A repetition without a limit includes every large count.
    if (from > 100 || (to > 100 && to !== Number.POSITIVE_INFINITY)) return this.repeated(part)
    const tail: Part =
      to === Number.POSITIVE_INFINITY
        ? this.repeated(part)
        : (next) => {
            let state = next
            for (let count = from; count < to; count += 1)
              state = this.add({ _tag: "Split", next: [part(state), next] })
            return state
          }
    return (next) => {
      let state = tail(next)
      for (let count = 0; count < from; count += 1) state = part(state)
      return state
    }
  }

  private optional(part: Part): Part {
    return (next) => this.add({ _tag: "Split", next: [part(next), next] })
  }

  private repeated(part: Part): Part {
    return (next) => {
      const ends = [next]
      const loop = this.add({ _tag: "Split", next: ends })
      ends.push(part(loop))
      return loop
    }
  }

  private character(source: string): Part {
    const regex = new RegExp(`^(?:${source})$`)
    return (next) => this.add({ _tag: "Character", accepts: (character) => regex.test(character), next })
  }

  private atom(): Part {
    const nothing: Part = (next) => next
    const group = this.match(/\((?:\?(?:<?[=!]|:|<[^>]*>))?/y)
    if (group !== undefined) {
      if (this.source[this.at] === "?") throw new TooLarge()
      const part = this.alternatives()
      if (this.match(/\)/y) === undefined) throw new TooLarge()
      return /^\(\?<?[=!]$/.test(group[0]) ? nothing : part
    }
    if (this.match(/\^/y) !== undefined) return (next) => this.add({ _tag: "Start", next })
    if (this.match(/\$/y) !== undefined) return (next) => this.add({ _tag: "End", next })
    if (this.match(/\\[bB]/y) !== undefined) return nothing
    if (this.match(/\\(?:k<[^>]*>|[1-9]\d*)/y) !== undefined) return this.repeated(this.character("[\\s\\S]"))
    const single = this.match(
      /\[(?:\\[\s\S]|[^\]\\])*\]|\\x[\da-fA-F]{2}|\\u[\da-fA-F]{4}|\\c[A-Za-z]|\\0[0-7]*|\\[\s\S]|[^\\]/y,
    )
    if (single === undefined) throw new TooLarge()
    const [text] = single
    return this.character(/^[\\[.]/.test(text) ? text : text.replace(/[$()*+?{|}^\]/]/, "\\$&"))
  }
}

export class PossibleMatch {
  /** Undefined if the pattern could not be compiled. */
  private readonly states: ReadonlyArray<State> | undefined
  private readonly start: number = 0

  /** Expects a pattern that `RegExp` accepts. */
  constructor(source: string) {
    const compiler = new Compiler(source)
    try {
      this.start = compiler.compile()
      this.states = compiler.states
    } catch {
      this.states = undefined
    }
  }

  /** Whether the pattern may match somewhere in a text of these segments. Also true once `steps` are used up. */
  in(segments: ReadonlyArray<Segment>, steps: number): boolean {
    if (this.states === undefined) return true
    const run = new Run(this.states, this.start, steps)
    const start = run.begin()
    let at: Places = start
    for (const { alternatives, optional, beginnings = [] } of segments) {
      const ends = alternatives.map((pieces) => run.pieces(at, pieces))
      ends.push(...beginnings.map((pieces) => run.pieces(start, pieces)))
      const behind = new Set(optional ? at : undefined)
      for (const end of ends) for (const state of end) behind.add(state)
      at = behind
      if (run.found) return true
    }
    run.end(at)
    return run.found
  }
}

/** The limit for all shapes of a line, in characters times states: a few tenths of a second. */
const maxSteps = 5_000_000
const possibleMatchOf = perPattern((source) => new PossibleMatch(source))

/** Whether a pattern may match a text of one of these shapes. */
export const mayMatch = (pattern: BoundedPattern, shapes: ReadonlyArray<ReadonlyArray<Segment>>): boolean => {
  if (shapes.length === 0) return false
  const possible = possibleMatchOf(pattern)
  return shapes.some((shape) => possible.in(shape, maxSteps / shapes.length))
}

type Places = ReadonlySet<number>

class Run {
  found = false
  private readonly states: ReadonlyArray<State>
  private readonly start: number
  private steps: number

  constructor(states: ReadonlyArray<State>, start: number, steps: number) {
    this.states = states
    this.start = start
    this.steps = steps
  }

  begin(): Places {
    const places = new Set<number>()
    this.reach(places, this.start, "start")
    return places
  }

  end(places: Places): void {
    const behind = new Set<number>()
    for (const place of places) this.reach(behind, place, "end")
  }

  pieces(places: Places, pieces: ReadonlyArray<Piece>): Places {
    let at = places
    for (const piece of pieces) {
      if (piece === undefined) at = this.anything(at)
      else
        for (let index = 0; index < piece.length && !this.found; index += 1) at = this.step(at, piece[index]!)
    }
    return at
  }

  private step(places: Places, character: string): Places {
    const behind = new Set<number>()
    for (const place of places) {
      const state = this.states[place]!
      if (state._tag === "Character" && state.accepts(character)) this.reach(behind, state.next)
    }
    this.reach(behind, this.start)
    this.spend(places.size)
    return behind
  }

  private anything(places: Places): Places {
    const behind = new Set(places)
    this.reach(behind, this.start)
    // Iterating a set also visits values that are added during the iteration.
    for (const place of behind) {
      const state = this.states[place]!
      if (state._tag === "Character") this.reach(behind, state.next)
    }
    this.spend(behind.size)
    return behind
  }

  private spend(steps: number): void {
    this.steps -= steps + 1
    if (this.steps < 0) this.found = true
  }

  private reach(places: Set<number>, from: number, edge?: "start" | "end"): void {
    const stack = [from]
    const seen = edge === "end" ? new Set<number>() : places
    for (let place = stack.pop(); place !== undefined; place = stack.pop()) {
      if (seen.has(place)) continue
      seen.add(place)
      const state = this.states[place]!
      if (state._tag === "Accept") this.found = true
      else if (state._tag === "Split") stack.push(...state.next)
      else if (state._tag === "Start" && edge === "start") stack.push(state.next)
      else if (state._tag === "End" && edge === "end") stack.push(state.next)
    }
  }
}
