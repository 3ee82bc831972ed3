// A tool for oh-my-pi: the module exports a factory, which returns the tool.
import type { CustomToolFactory } from "@oh-my-pi/pi-coding-agent"

const factory: CustomToolFactory = (pi) => {
  const { Type } = pi.typebox
  const parameters = Type.Object({
    glob: Type.Optional(Type.String({ description: "Which files, as git reads it", default: "*" })),
  })
  return {
    name: "repo_stats",
    label: "Repository statistics",
    description: "Counts the files that git tracks",
    parameters,
    async execute(_toolCallId, params: { glob: string }, onUpdate, _ctx, signal) {
      onUpdate?.({ content: [{ type: "text", text: "Counting…" }], details: { phase: "count" } })
      const listed = await pi.exec("git", ["ls-files", params.glob], signal && { signal })
      if (listed.killed) throw new Error("Counting was cancelled")
      if (listed.code !== 0) throw new Error(listed.stderr)
      const files = listed.stdout.split("\n").filter(Boolean)
      return {
        content: [{ type: "text", text: `Files that match ${params.glob}: ${files.length}` }],
        details: { files },
      }
    },
  }
}

export default factory
