/** A tool with a state: it lives in the results that the session keeps, and is taken from there when the session changes. */
import type { CustomToolFactory } from "@oh-my-pi/pi-coding-agent"

const factory: CustomToolFactory = (pi) => {
  let count = 0
  const reasons: Array<string> = []
  return {
    name: "counter",
    label: "Counter",
    description: "Counts how often it is called.",
    parameters: pi.typebox.Type.Object({}),
    onSession(event, ctx) {
      reasons.push(event.reason)
      const results = ctx.sessionManager.getBranch().flatMap(({ type, message }) => {
        const { toolName, details } = (message ?? {}) as { toolName?: string; details?: { count: number } }
        return type === "message" && toolName === "counter" && details ? [details] : []
      })
      count = results.at(-1)?.count ?? 0
    },
    async execute() {
      count += 1
      return { content: [{ type: "text", text: `${count}` }], details: { count, reasons: [...reasons] } }
    },
  }
}

export default factory
