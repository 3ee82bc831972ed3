/** A tool whose calls run until the test releases them, by call id. */
import { type EffectHandler, handler, pipeline, Step, type ToolPipeline } from "../../src/index.ts"
import { type Deferred, deferred } from "./deferred.ts"

export interface HeldTool {
  readonly plan: ToolPipeline
  /** The handler of `plan`, for plans of several. */
  readonly hold: EffectHandler
  /** The ids of the calls that run, in the order of their starting. */
  readonly running: ReadonlyArray<string>
  release(callId: string): void
}

export const heldTool = (): HeldTool => {
  const running: Array<string> = []
  const releases = new Map<string, Deferred<void>>()
  const hold = handler("hold", async ({ call }) => {
    const release = deferred()
    running.push(call.callId)
    releases.set(call.callId, release)
    await release.promise
    running.splice(running.indexOf(call.callId), 1)
    return Step.Output(call.callId)
  })
  return {
    plan: pipeline().andThen(hold),
    hold,
    running,
    release: (callId) => releases.get(callId)!.resolve(),
  }
}
