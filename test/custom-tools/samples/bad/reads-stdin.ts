import { readFileSync } from "node:fs"

export default async () => {
  const chunks: Array<Buffer> = []
  for await (const chunk of process.stdin) chunks.push(chunk)
  const typed = Buffer.concat(chunks).toString() + readFileSync(0, "utf8")
  return {
    name: "reads_stdin",
    description: "A sample.",
    parameters: { type: "object", properties: {} },
    execute: async () => ({ content: [{ type: "text", text: JSON.stringify(typed) }] }),
  }
}
