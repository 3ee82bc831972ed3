// An extension for pi: it registers a tool, and listens to the calls of all tools.

import { appendFile } from "node:fs/promises"
import { join } from "node:path"
import { type ExtensionAPI, withFileMutationQueue } from "@mariozechner/pi-coding-agent"
import { Type } from "typebox"

export default function (pi: ExtensionAPI) {
  pi.registerTool({
    name: "take_note",
    label: "Take a note",
    description: "Appends a line to NOTES.md",
    parameters: Type.Object({ text: Type.String({ description: "The note" }) }),
    async execute(_toolCallId, params, _signal, _onUpdate, ctx) {
      const path = join(ctx.cwd, "NOTES.md")
      await withFileMutationQueue(path, () => appendFile(path, `- ${params.text}\n`))
      return { content: [{ type: "text", text: `Noted: ${params.text}` }], details: { path } }
    },
  })

  pi.on("tool_call", (event) => {
    const { text } = event.input as { text?: string }
    if (text?.includes("password")) return { block: true, reason: "Secrets do not belong into notes" }
  })
}
