/** The shell tool beside Node's own spawn of the same command. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { type Tool, ToolExecutor, ToolRegistry } from "stepline"
import type { SectionResult } from "./figure.ts"
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

const millisEach = async (times: number, call: () => Promise<string>): Promise<number> => {
  const start = performance.now()
  for (let i = 0; i < times; i++) {
    const printed = await call()
    if (printed.trimEnd() !== "hello") throw new Error(`Did not expect ${JSON.stringify(printed)}`)
  }
  return (performance.now() - start) / times
}

/** Undefined until the tool exists. */
const loadShellTool = async (): Promise<Tool | undefined> => {
  try {
    const tools: Readonly<Record<string, unknown>> = await import("stepline/tools" as string)
    return tools.shellTool as Tool | undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND") return undefined
    throw error
  }
}

export const measureShell = async (quick: boolean): Promise<SectionResult> => {
  const title = "A shell call"
  const tool = await loadShellTool()
  if (tool === undefined) return { title, figures: [], notes: ["Skipped: there is no shell tool yet"] }
  const executor = new ToolExecutor(new ToolRegistry([tool]))
  const callTool = async () => {
    const call = { name: "shell", params: { command }, decision: "approve" } as const
    return (await executor.run(call, () => undefined)).content
  }
  const [times, counted] = quick ? [20, 3] : [40, 5]
  const { direct, stepline } = await interleave(
    { direct: () => millisEach(times, spawnDirectly), stepline: () => millisEach(times, callTool) },
    { warmUp: 1, counted },
  )
  await executor.shutdown()
  const name = `${times * counted} times \`${command}\``
  return {
    title,
    baseline: "direct spawn",
    figures: [{ name, unit: "ms", stepline, baseline: direct, mostTimes: 2 }],
  }
}
