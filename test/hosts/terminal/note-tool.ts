/** A tool that asks, and says how much it was given. */
import { Type } from "@sinclair/typebox"
import { defineTool, pipeline, Step } from "../../../src/index.ts"

export const note = defineTool({
  name: "note",
  description: "Keeps a text.",
  parameters: Type.Object({ text: Type.String() }),
  compose: ({ text }) =>
    pipeline()
      .awaitApproval()
      .andThen(() => Step.Output(`kept ${text.length}`)),
})
