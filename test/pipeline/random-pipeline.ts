/**
 * Pipelines of random shape for property tests. Every handler that waits does so for a latch that the test releases,
 * and what ran is noted per attempt: a composed pipeline is an attempt.
 */
import * as Effect from "effect/Effect"
import fc from "fast-check"
import { type HandlerContext, pipeline, Step, type ToolCall, type ToolPipeline } from "../../src/index.ts"
import { type Deferred, deferred } from "../support/deferred.ts"

const waits = ["promise", "effect", "uninterruptible", "generator", "stream"] as const
const plain = ["step", "output", "delta", "yields", "streams", "succeeds"] as const
const asks = ["gate", "gateStep", "delegate", "generatorGate", "generatorDelegate"] as const
const fails = ["error", "throws", "rejects", "dies"] as const
const cleanups = [
  "closes",
  "closesLater",
  "closesInEffect",
  "closeFails",
  "closeDelegates",
  "closeStreams",
] as const

type Kind = (typeof waits)[number] | (typeof plain)[number] | (typeof asks)[number] | (typeof fails)[number]
type CleanupKind = (typeof cleanups)[number]

export interface Shape {
  readonly parts: ReadonlyArray<Kind>
  readonly cleanups: ReadonlyArray<CleanupKind>
}

export const shapes: fc.Arbitrary<Shape> = fc.record({
  parts: fc.array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom<Kind>(...waits) },
      { weight: 3, arbitrary: fc.constantFrom<Kind>(...plain) },
      { weight: 4, arbitrary: fc.constantFrom<Kind>(...asks) },
      { weight: 1, arbitrary: fc.constantFrom<Kind>(...fails) },
    ),
    { maxLength: 4 },
  ),
  cleanups: fc.array(fc.constantFrom<CleanupKind>(...cleanups), { maxLength: 2 }),
})

/** What ran of one composed pipeline. */
export interface Attempt {
  readonly callId: string
  readonly shape: Shape
  /** Indices of the parts, gates left out, in the order of their running. */
  readonly ran: Array<number>
  /** How often each finally handler ran. */
  readonly cleaned: Array<number>
}

export class World {
  readonly attempts: Array<Attempt> = []
  /** What waits for the test. */
  readonly latches: Array<Deferred<void>> = []
  /** Effects and generators that were entered and not left yet. */
  inside = 0
  /** Told before a pipeline is composed, and when a finally handler begins. */
  onCompose: (call: ToolCall) => void = () => undefined
  onCleanup: (call: ToolCall) => void = () => undefined

  release(index: number): void {
    if (this.latches.length > 0) this.latches.splice(index % this.latches.length, 1)[0]!.resolve()
  }

  releaseAll(): void {
    for (const latch of this.latches.splice(0)) latch.resolve()
  }

  compose(shape: Shape, call: ToolCall): ToolPipeline {
    this.onCompose(call)
    const attempt: Attempt = {
      callId: call.callId,
      shape,
      ran: [],
      cleaned: shape.cleanups.map(() => 0),
    }
    this.attempts.push(attempt)
    let plan = pipeline()
    for (const [index, kind] of shape.parts.entries()) {
      if (kind === "gate") plan = plan.awaitApproval({ label: `gate ${index}` })
      else {
        const call = this.handlers[kind]
        plan = plan.andThen({
          name: `${kind} ${index}`,
          call: (context: HandlerContext) => {
            attempt.ran.push(index)
            return call(context.delta)
          },
        })
      }
    }
    for (const [index, kind] of shape.cleanups.entries()) {
      const call = this.cleanups[kind]
      plan = plan.finally({
        name: `${kind} ${index}`,
        call: (context: HandlerContext) => {
          attempt.cleaned[index]! += 1
          this.onCleanup(context.call)
          return call(context.delta)
        },
      })
    }
    return plan
  }

  private latch(): Promise<void> {
    const latch = deferred()
    this.latches.push(latch)
    return latch.promise
  }

  /** An Effect that waits for the test, and notes that it was entered and left. */
  private waiting(): Effect.Effect<Step> {
    return Effect.acquireUseRelease(
      Effect.sync(() => (this.inside += 1)),
      () =>
        Effect.as(
          Effect.callback<void>((resume) => {
            void this.latch().then(() => resume(Effect.void))
          }),
          Step.Output("effect"),
        ),
      () =>
        Effect.andThen(
          Effect.yieldNow,
          Effect.sync(() => (this.inside -= 1)),
        ),
    )
  }

  private async *generating(...steps: ReadonlyArray<Step>): AsyncGenerator<Step> {
    this.inside += 1
    try {
      yield Step.Delta("generated")
      for (const step of steps) yield step
      await this.latch()
      yield Step.Output("generated")
    } finally {
      this.inside -= 1
    }
  }

  private readonly handlers = {
    promise: () => this.latch().then(() => Step.Output("promise")),
    effect: () => this.waiting(),
    uninterruptible: () => Effect.uninterruptible(this.waiting()),
    generator: () => this.generating(),
    generatorGate: () => this.generating(Step.AwaitApproval()),
    generatorDelegate: () => this.generating(Step.Delegate({ _tag: "Ask" })),
    stream: async (delta: (content: string) => Promise<void>) => {
      for (let i = 0; i < 3; i++) await delta("awaited")
      await this.latch()
      await delta("awaited")
      return Step.Output("stream")
    },
    streams: (delta: (content: string) => Promise<void>) => {
      for (let i = 0; i < 5; i++) void delta("unawaited")
      return Step.Continue
    },
    step: () => Step.Continue,
    output: () => Step.Output("output"),
    delta: () => Step.Delta("delta"),
    succeeds: () => Effect.succeed(Step.Output("succeeds")),
    async *yields() {
      yield Step.Delta("one")
      yield Step.Output("two")
    },
    gateStep: () => Step.AwaitApproval({ label: "step" }),
    delegate: () => Step.Delegate({ _tag: "Ask" }),
    error: () => Step.Error("error"),
    throws: (): Step => {
      throw new Error("throws")
    },
    rejects: () => Promise.reject(new Error("rejects")),
    dies: () => Effect.die(new Error("dies")),
  } satisfies Record<Exclude<Kind, "gate">, (delta: (content: string) => Promise<void>) => unknown>

  private readonly cleanups = {
    closes: () => Step.Continue,
    closesLater: () => this.latch().then(() => Step.Output("no result")),
    closesInEffect: () => this.waiting(),
    closeFails: () => Step.Error("cannot close"),
    closeDelegates: () => Step.Delegate({ _tag: "Close" }),
    closeStreams: async (delta: (content: string) => Promise<void>) => {
      await delta("closing")
      return Step.Continue
    },
  } satisfies Record<CleanupKind, (delta: (content: string) => Promise<void>) => unknown>
}
