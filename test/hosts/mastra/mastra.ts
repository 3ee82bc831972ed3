/** Mastra, where it is installed: 130 MB in 150 packages are too much for everybody who runs the tests. */

import { type MastraOptions, mastraTools } from "../../../src/hosts/mastra/index.ts"
import type { ToolExecutor } from "../../../src/index.ts"
import { type ScriptedTurn, toldIn, versions } from "../ai-sdk/versions.ts"

const { scripted } = versions.find(({ name }) => name === "AI SDK 7")!

/** Its types are not there either. */
const load = (entry: string) => {
  const name = `@mastra/core/${entry}`
  return import(/* @vite-ignore */ name).catch(() => undefined)
}

const [tools, agents, core, storage] = await Promise.all(["tools", "agent", "mastra", "storage"].map(load))

/** What a run came to. */
export interface MastraRun {
  readonly runId: string
  readonly text: string
  readonly finishReason: string
  readonly suspendPayload?: unknown
}

/** What a run streams. */
export interface MastraStream {
  readonly runId: string
  readonly fullStream: AsyncIterable<{ readonly type: string }>
}

/** The used part of an agent. */
export interface MastraAgent {
  stream(prompt: string, options: object): Promise<MastraStream>
  resumeStream(answer: object, options: object): Promise<MastraStream>
  generate(prompt: string, options?: object): Promise<MastraRun>
  resumeGenerate(
    answer: object,
    options: { readonly runId: string; readonly toolCallId: string },
  ): Promise<MastraRun>
}

/** An agent of Mastra whose model does what a script says. `store`: where suspended runs are kept. */
export const agentOf = (
  executor: ToolExecutor,
  turns: ReadonlyArray<ScriptedTurn>,
  { store = newStore(), ...options }: MastraOptions & { readonly store?: unknown } = {},
) => {
  const { model, asked } = scripted(turns)
  const coder = new agents.Agent({
    id: "coder",
    name: "Coder",
    instructions: "Work",
    model,
    tools: mastraTools(tools, executor, options),
  })
  const mastra = new core.Mastra({
    agents: { coder },
    storage: store,
    logger: false,
  })
  const told = () => toldIn(asked.at(-1)?.prompt)
  return { agent: mastra.getAgent("coder") as MastraAgent, told, asked }
}

/** Keeps suspended runs. */
export const newStore = (): unknown => new storage.InMemoryStore()
