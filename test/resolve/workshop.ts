/** Tools and pushed actions of every shape, steered from outside, that count what they did. */
import * as Effect from "effect/Effect"
import {
  type ActionFunction,
  type HandlerFunction,
  type PushedAction,
  pipeline,
  Step,
  ToolError,
  type ToolPipeline,
} from "../../src/index.ts"
import { type Deferred, deferred } from "../support/deferred.ts"

/** `held` and `effect` wait until they are released; `gated` asks the host first. */
export type Way = "now" | "held" | "effect" | "gated"

export interface Shape {
  /** Whether the preview waits until it is released. */
  readonly heldPreview: boolean
  readonly apply: Way
  /** How often it fails before it succeeds. */
  readonly failures: number
  readonly discard: "nothing" | "now" | "held" | "throws once"
  /** Whether what is applied is a preview of its own, labelled `<id>+`. */
  readonly twice: boolean
}

export interface Tally {
  applied: number
  discarded: number
  closed: number
}

export class Workshop {
  private readonly tallies = new Map<string, Tally>()
  private readonly tries = new Map<string, number>()
  private held: Array<Deferred<void>> = []

  tally(label: string): Tally {
    let tally = this.tallies.get(label)
    if (tally === undefined) {
      tally = { applied: 0, discarded: 0, closed: 0 }
      this.tallies.set(label, tally)
    }
    return tally
  }

  release(index: number): void {
    const [released] = this.held.splice(index % Math.max(1, this.held.length), 1)
    released?.resolve()
  }

  releaseAll(): void {
    for (const held of this.held.splice(0)) held.resolve()
  }

  plan(id: string, shape: Shape): ToolPipeline {
    const next = `${id}+`
    const previewed = pipeline()
      .andThen(async ({ signal }) => {
        if (shape.heldPreview) await this.wait(signal)
        return Step.Output(`preview of ${id}`)
      })
      .awaitResolve({ label: id, ...this.onDiscard(id, shape) })
    const applied = this.applying(previewed, id, shape)
    const whole = shape.twice
      ? this.applying(applied.awaitResolve({ label: next, ...this.onDiscard(next, shape) }), next, shape)
      : applied
    return whole.finally(() => {
      this.tally(id).closed += 1
      return Step.Continue
    })
  }

  pushed(label: string, { apply, failures, discard }: Shape): PushedAction {
    const run: ActionFunction = async (_reason, _extra, { signal }) => {
      if (apply !== "now") await this.wait(signal)
      if (this.fails(label, failures)) throw new Error("not yet")
      this.tally(label).applied += 1
      return "applied"
    }
    if (discard === "nothing") return { label, apply: run }
    const reject: ActionFunction = async (_reason, _extra, { signal }) => {
      if (discard === "held") await this.wait(signal)
      if (discard === "throws once" && this.fails(`${label} discard`, 1)) throw new Error("not yet")
      this.tally(label).discarded += 1
      return undefined
    }
    return { label, apply: run, reject }
  }

  private applying(before: ToolPipeline, label: string, shape: Shape): ToolPipeline {
    const end = (): Step => {
      if (this.fails(label, shape.failures)) return Step.Error("not yet")
      this.tally(label).applied += 1
      return Step.Output(`applied ${label}`)
    }
    switch (shape.apply) {
      case "now":
        return before.andThen(end)
      case "held":
        return before.andThen(({ signal }) => this.wait(signal).then(end))
      case "effect":
        return before.andThen(() =>
          Effect.map(
            Effect.promise((signal) => this.wait(signal)),
            end,
          ),
        )
      case "gated":
        return before.awaitApproval().andThen(end)
    }
  }

  private onDiscard(label: string, { discard }: Shape): { onDiscard?: HandlerFunction } {
    if (discard === "nothing") return {}
    const onDiscard: HandlerFunction = async ({ signal }) => {
      if (discard === "held") await this.wait(signal)
      if (discard === "throws once" && this.fails(`${label} discard`, 1)) throw new ToolError("not yet")
      this.tally(label).discarded += 1
      return Step.Continue
    }
    return { onDiscard }
  }

  private fails(name: string, times: number): boolean {
    const tries = (this.tries.get(name) ?? 0) + 1
    this.tries.set(name, tries)
    return tries <= times
  }

  private async wait(signal: AbortSignal): Promise<void> {
    const held = deferred()
    this.held.push(held)
    await held.promise
    signal.throwIfAborted()
  }
}
