/** An extension from before pi 0.51: the signal comes last. */
import type { ExtensionAPI } from "@mariozechner/pi-coding-agent"
import { Type } from "@sinclair/typebox"

export default function greet(pi: ExtensionAPI) {
  pi.registerTool({
    name: "old_greet",
    label: "Greet",
    description: "Greets somebody.",
    parameters: Type.Object({ name: Type.String() }),
    async execute(_toolCallId, { name }, onUpdate, ctx, signal) {
      onUpdate({ content: [{ type: "text", text: "Thinking of a greeting" }] })
      const text = `Good day, ${name}! We are in ${ctx.cwd}${signal.aborted ? ", but too late" : ""}.`
      return { content: [{ type: "text", text }] }
    },
  })
}
