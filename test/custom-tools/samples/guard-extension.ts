/** A typed extension: blocks calls that name a protected folder, stamps every result, and counts both. */
import type { ExtensionAPI } from "../../../src/custom-tools/extension.ts"

export default function guard(pi: ExtensionAPI): void {
  const counts = { blocked: 0, stamped: 0 }

  pi.registerFlag("protected", { type: "string", default: "/etc", description: "The folder to protect" })

  pi.on("tool_call", async (event) => {
    const path = event.input.path
    if (typeof path !== "string" || !path.startsWith(String(pi.getFlag("protected")))) return
    counts.blocked += 1
    return { block: true, reason: `${event.toolName} must not touch ${path}` }
  })

  pi.on("tool_result", (event) => {
    counts.stamped += 1
    return { content: [...event.content, { type: "text", text: `[${event.toolCallId}]` }] }
  })

  pi.on("session_start", (event, ctx) => {
    if (event.reason !== "startup") return
    pi.registerTool({
      name: "guard_counts",
      label: "Guard counts",
      description: "Tells how many calls were blocked and stamped.",
      parameters: pi.typebox.Type.Object({ pretty: pi.typebox.Type.Optional(pi.typebox.Type.Boolean()) }),
      async execute(_toolCallId, params, _signal, _onUpdate, toolContext) {
        const text = JSON.stringify(
          { ...counts, cwd: toolContext.cwd === ctx.cwd },
          null,
          params.pretty ? 2 : 0,
        )
        return { content: [{ type: "text", text }] }
      },
    })
  })

  pi.registerCommand("guard-reset", {
    description: "Starts counting anew",
    handler: async (_args, ctx) => {
      await ctx.waitForIdle()
      counts.blocked = 0
      counts.stamped = 0
    },
  })
}
