/** A tool that shows what it would do: nothing is written before `resolve` applies it. */
import { readFile, writeFile } from "node:fs/promises"
import { resolve } from "node:path"
import type { CustomToolFactory } from "@oh-my-pi/pi-coding-agent"

const factory: CustomToolFactory = (pi) => {
  const { Type } = pi.typebox
  return {
    name: "rename_word",
    label: "Rename a word",
    description: "Renames a word in a file.",
    parameters: Type.Object({ path: Type.String(), from: Type.String(), to: Type.String() }),
    async execute(_toolCallId, params: { path: string; from: string; to: string }, _onUpdate, ctx) {
      const path = resolve(ctx.cwd, params.path)
      const text = await readFile(path, "utf8")
      const count = text.split(params.from).length - 1
      pi.pushPendingAction({
        label: `Rename ${params.from} to ${params.to}`,
        sourceToolName: "rename_word",
        details: { count },
        apply: async (reason) => {
          await writeFile(path, text.replaceAll(params.from, params.to))
          return { content: [{ type: "text", text: `Renamed ${count}: ${reason}` }] }
        },
        reject: async (reason) => ({ content: [{ type: "text", text: `Kept ${params.from}: ${reason}` }] }),
      })
      return { content: [{ type: "text", text: `Would rename ${count}` }], details: { count } }
    },
  }
}

export default factory
