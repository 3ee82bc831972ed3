/** A tool that streams, and what a host was told of it. */
import { type HandlerContext, pipeline, Step, type ToolEvent, type ToolPipeline } from "../../src/index.ts"
import { is } from "./event-of.ts"

/** Streams `count` deltas, awaiting each; `sent` tells how many were taken. */
export const streaming = (
  count: number,
): { readonly plan: ToolPipeline; readonly progress: { readonly sent: number } } => {
  const progress = { sent: 0 }
  const plan = pipeline().andThen(async ({ delta }: HandlerContext) => {
    for (let i = 0; i < count; i++) {
      await delta(`${i};`)
      progress.sent += 1
    }
    return Step.Output("done")
  })
  return { plan, progress }
}

export const textOfDeltas = (events: ReadonlyArray<ToolEvent>, callId?: string): string =>
  events
    .filter(is("Delta", callId))
    .map((event) => event.content)
    .join("")

/** All that `streaming` streams. */
export const numbers = (count: number): string => Array.from({ length: count }, (_, i) => `${i};`).join("")
