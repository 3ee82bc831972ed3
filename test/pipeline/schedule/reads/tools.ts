/** Tools that read and write shared files, in each shape that a handler may have. */
import * as Effect from "effect/Effect"
import { defineTool, handler, pipeline, Step, type Tool, type ToolPipeline } from "../../../../src/index.ts"
import type { SharedFile } from "./shared-file.ts"

/** How many reads ran at once, at most. */
export interface Together {
  now: number
  most: number
}

interface Params {
  readonly file: number
  /** The value to write; of a read, the writes before it. */
  readonly at: number
}

const parameters = {
  type: "object",
  properties: { file: { type: "integer" }, at: { type: "integer" } },
  required: ["file", "at"],
} as const

const readOnly = { readOnly: true, destructive: false, idempotent: true, openWorld: false }

/** `lying`: the tools that write say that they only read, so that faults must be found. */
export const toolsOf = (
  files: ReadonlyArray<SharedFile>,
  together: Together,
  lying: boolean,
): ReadonlyArray<Tool> => {
  const tool = (name: string, plan: (file: SharedFile, at: number) => ToolPipeline): Tool =>
    defineTool({
      name,
      description: "",
      parameters,
      annotations: name.startsWith("read") || lying ? readOnly : {},
      compose: (params) => {
        const { file, at } = params as unknown as Params
        return plan(files[file]!, at)
      },
    })
  const read = async (file: SharedFile, callId: string, before: number): Promise<void> => {
    together.now += 1
    together.most = Math.max(together.most, together.now)
    await file.read(callId, before)
    together.now -= 1
  }
  const reading = (file: SharedFile, before: number) =>
    handler("Read", async ({ call }) => {
      await read(file, call.callId, before)
      return Step.Continue
    })
  // Nothing of it is left to do once its call has ended, cancelled or not.
  const writing = (file: SharedFile, value: number, end = Step.Continue) =>
    handler("Write", () =>
      Effect.uninterruptible(
        Effect.as(
          Effect.promise(() => file.write(value)),
          end,
        ),
      ),
    )
  return [
    tool("read", (file, before) => pipeline().andThen(reading(file, before))),
    tool("read_gated", (file, before) => pipeline().awaitApproval().andThen(reading(file, before))),
    tool("read_effect", (file, before) =>
      pipeline().andThen(({ call }) =>
        Effect.as(
          Effect.promise(() => read(file, call.callId, before)),
          Step.Continue,
        ),
      ),
    ),
    tool("read_streaming", (file, before) =>
      pipeline().andThen(async function* ({ call }) {
        yield Step.Delta("1")
        await read(file, call.callId, before)
        yield Step.Delta("2")
      }),
    ),
    tool("write", (file, value) => pipeline().andThen(writing(file, value))),
    tool("write_gated", (file, value) => pipeline().awaitApproval().andThen(writing(file, value))),
    tool("write_failing", (file, value) => pipeline().andThen(writing(file, value, Step.Error("no")))),
    tool("write_finally", (file, value) => pipeline().finally(writing(file, value))),
  ]
}
