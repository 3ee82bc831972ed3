/** OpenAI Agents: its runner with a scripted model. */
import * as sdk from "@openai/agents"
import { openaiTools } from "../../../src/hosts/openai-agents/index.ts"
import { scripted, toldIn } from "../openai-agents/scripted-model.ts"
import { type Host, isStreamed, type OpenHost } from "./host.ts"
import { askDuring, executorIn } from "./in-process.ts"

export const openaiAgents: Host = {
  name: "OpenAI Agents",
  by: {
    approve: "`state.approve()`",
    "deny with a reason": "`reject(…, { message })`",
    edit: '`approval: "during"`',
    stream: "`onEvent`",
    cancel: "`signal`",
    background: "tools for tasks",
    "preview and resolve": "`isEnabled`",
    "ask within code": "`onQuestion`",
  },
  async open(folder): Promise<OpenHost> {
    const executor = await executorIn(folder)
    let calls = 0
    return {
      async call({ name, params }, { answer, whenShown }) {
        const id = `call-${calls++}`
        const abort = new AbortController()
        const tools = openaiTools(sdk, executor, {
          ...askDuring(answer),
          onEvent: (event) => {
            if (event._tag !== "Delta" || !isStreamed(event.content)) return
            if (whenShown === "cancel") abort.abort()
            else if (whenShown === "let it end") folder.letItEnd()
          },
        })
        const agent = new sdk.Agent({ name: "Publisher", tools })
        const { runner, asked } = scripted([[{ id, name, params }], "done"])
        const { signal } = abort
        try {
          const first = await runner.run(agent, "Go on", { signal })
          for (const question of first.interruptions) {
            if (typeof answer === "object" && "reason" in answer)
              first.state.reject(question, { message: answer.reason })
            else first.state.approve(question)
          }
          if (first.interruptions.length > 0) await runner.run(agent, first.state, { signal })
        } catch (error) {
          if (!signal.aborted) throw error
          return undefined
        }
        return JSON.stringify(toldIn(asked.at(-1))[id])
      },
      [Symbol.asyncDispose]: () => executor.shutdown(),
    }
  },
}
