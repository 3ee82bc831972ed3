/** Tools for the page to show. */
import { defineTool, type HandlerContext, pipeline, Step } from "../../../src/index.ts"

const text = { type: "string" } as const

/** Asks, and says what it was given. */
export const note = defineTool({
  name: "note",
  label: "Note",
  description: "Takes a note.",
  primaryParam: "text",
  parameters: {
    type: "object",
    properties: {
      text: { type: "string", description: "What to note." },
      place: { enum: ["top", "bottom"] },
      times: { type: "integer" },
      loud: { type: "boolean" },
      tags: { type: "array", items: text },
    },
    required: ["text"],
    additionalProperties: false,
  } as const,
  compose: (params) =>
    pipeline()
      .andThen({ name: "look", call: () => Step.Output("looked") })
      .awaitApproval({ label: "Write it down?" })
      .andThen({ name: "write", call: () => Step.Output(`noted ${JSON.stringify(params)}`) })
      .finally({ name: "tidy", call: () => Step.Continue }),
})

/** Stages a change of one line. */
export const change = defineTool({
  name: "change",
  description: "Changes a line.",
  parameters: { type: "object", properties: { to: text }, required: ["to"] } as const,
  compose: ({ to }) =>
    pipeline()
      .andThen({
        name: "preview",
        call: () => Step.Output(`--- a.txt\n+++ a.txt\n@@ -1,1 +1,1 @@\n-before\n+${to}\n`),
      })
      .awaitResolve({ label: `Change a.txt to ${to}` })
      .andThen({ name: "apply", call: () => Step.Output(`changed to ${to}`) }),
})
/** Puts out what it is given, and then goes on until it is let go, or cancelled. */
export const streaming = () => {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const tool = defineTool({
    name: "stream",
    description: "Streams.",
    parameters: { type: "object", properties: { text } } as const,
    compose: ({ text: said = "one" }) =>
      pipeline().andThen({
        name: "stream",
        call: async function* ({ signal }: HandlerContext) {
          yield Step.Delta(String(said))
          const cancelled = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()))
          await Promise.race([released, cancelled])
          if (!signal.aborted) yield Step.Output("streamed it all")
        },
      }),
  })
  return { tool, release }
}

/** Comes to two gates. */
export const twice = defineTool({
  name: "twice",
  description: "Asks twice.",
  parameters: { type: "object", properties: {} } as const,
  compose: () =>
    pipeline()
      .awaitApproval({ label: "The first?" })
      .andThen(() => Step.Output("between"))
      .awaitApproval({ label: "The second?" })
      .andThen(() => Step.Output("behind")),
})
