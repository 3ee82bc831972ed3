/** A tool for oh-my-pi in JavaScript. */
import { readFile } from "node:fs/promises"
import { resolve } from "node:path"

export default (pi) => ({
  name: "word_count",
  label: "Word count",
  description: "Counts the words of a file.",
  parameters: pi.typebox.Type.Object({ path: pi.typebox.Type.String() }),
  annotations: { readOnlyHint: true },
  async execute(_toolCallId, { path }, _onUpdate, ctx) {
    const words = (await readFile(resolve(ctx.cwd, path), "utf8")).match(/\S+/g) ?? []
    return { content: [{ type: "text", text: `${words.length} words` }], details: { count: words.length } }
  },
})
