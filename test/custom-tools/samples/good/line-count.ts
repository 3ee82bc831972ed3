/** A tool for oh-my-pi in TypeScript, which runs a program and tells how far it is. */
import type { CustomToolFactory } from "@oh-my-pi/pi-coding-agent"

enum Phase {
  Count = "count",
}

const factory: CustomToolFactory = (pi) => {
  const { Type } = pi.typebox
  const parameters = Type.Object({
    path: Type.String({ description: "The file to count" }),
    unit: Type.Optional(pi.pi.StringEnum(["lines", "bytes"], { default: "lines" })),
  })
  return {
    name: "line_count",
    label: "Line count",
    description: "Counts the lines or bytes of a file.",
    parameters,
    async execute(_toolCallId, params: { path: string; unit: "lines" | "bytes" }, onUpdate, _ctx, signal) {
      onUpdate?.({ content: [{ type: "text", text: "Counting" }], details: { phase: Phase.Count } })
      const flag = params.unit === "lines" ? "-l" : "-c"
      const { stdout, stderr, code } = await pi.exec("wc", [flag, params.path], { ...(signal && { signal }) })
      if (code !== 0) throw new Error(stderr.trim())
      const count = Number.parseInt(stdout, 10)
      return { content: [{ type: "text", text: `${count} ${params.unit}` }], details: { count } }
    },
  }
}

export default factory
