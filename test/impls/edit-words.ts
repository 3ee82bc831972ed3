/** A process that edits one file through `edit_file`: the folder, a word, and how often. It prints what came of each edit. */
import { editFileTool } from "../../src/impls/index.ts"
import { noIde, ToolExecutor, ToolRegistry } from "../../src/index.ts"

const [cwd, word, count] = process.argv.slice(2) as [string, string, string]
const executor = new ToolExecutor(new ToolRegistry([editFileTool]), { cwd, delegates: noIde })
const results: Array<{ readonly text: string; readonly content: string }> = []
for (let index = 0; index < Number(count); index++) {
  const text = `${word}${index} done\n`
  const params = { path: "f", edits: [{ old_string: `${word}${index}\n`, new_string: text }] }
  const { content } = await executor.run({ name: "edit_file", params, decision: "approve" })
  results.push({ text, content })
}
await executor.shutdown()
process.stdout.write(JSON.stringify(results))
