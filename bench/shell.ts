/** The shell tool beside Node's own spawn of the same command. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { ToolExecutor, ToolRegistry } from "stepline"
import { shellTool } from "stepline/tools"
import type { Section } from "./figure.ts"
import { interleave } from "./measure.ts"

const command = "echo hello"

const spawnDirectly = async (): Promise<string> => {
  const child = spawn("bash", ["-c", command], { detached: true, stdio: ["ignore", "pipe", "pipe"] })
  const chunks: Array<Buffer> = []
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk))
  child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk))
  await once(child, "close")
  return Buffer.concat(chunks).toString()
}

const millisEach = async (call: () => Promise<string>): Promise<number> => {
  const start = performance.now()
  for (let i = 0; i < 40; i++) {
    const printed = await call()
    if (printed.trimEnd() !== "hello") throw new Error(`Did not expect ${JSON.stringify(printed)}`)
  }
  return (performance.now() - start) / 40
}

export const shell: Section = {
  title: "A shell call",
  baseline: "direct spawn",
  rows: [{ name: `\`${command}\``, unit: "ms", mostTimes: 2 }],
  measure: async (quick) => {
    await using executor = new ToolExecutor(new ToolRegistry([shellTool]))
    const call = { name: "shell", params: { command }, decision: "approve" } as const
    const callTool = async () => (await executor.run(call, () => undefined)).content
    const { direct, stepline } = await interleave(
      { direct: () => millisEach(spawnDirectly), stepline: () => millisEach(callTool) },
      { warmUp: 1, counted: quick ? 1 : 5 },
    )
    return [{ stepline, baseline: direct }]
  },
}
