/** LangGraph: an agent of LangChain with a scripted model. */
import { HumanMessage } from "@langchain/core/messages"
import { Command, MemorySaver } from "@langchain/langgraph"
import * as langchain from "langchain"
import { langGraphTools } from "../../../src/hosts/langgraph/index.ts"
import { ScriptedModel, toldIn } from "../langgraph/scripted-model.ts"
import { type Host, isStreamed, type OpenHost, type User } from "./host.ts"
import { askDuring, executorIn } from "./in-process.ts"

const decisionOf = (answer: User["answer"], name: string) => {
  if (answer === "approve") return { type: "approve" }
  if ("reason" in answer) return { type: "reject", message: answer.reason }
  return { type: "edit", editedAction: { name, args: answer.params } }
}

export const langgraph: Host = {
  name: "LangGraph",
  by: {
    approve: '`{ type: "approve" }`',
    "deny with a reason": '`{ type: "reject", message }`',
    edit: '`{ type: "edit", editedAction }`',
    stream: 'stream mode `"custom"`',
    cancel: "`signal`",
    background: "tools for tasks",
    "preview and resolve": "call of `resolve`",
    "ask within code": "`onQuestion`",
  },
  async open(folder): Promise<OpenHost> {
    const executor = await executorIn(folder)
    let answer: User["answer"] = "approve"
    const tools = langGraphTools(langchain, executor, {
      agentId: "main",
      onQuestion: (question) => askDuring(answer).onQuestion(question),
    })
    let calls = 0
    return {
      async call({ name, params }, user) {
        const { whenShown } = user
        answer = user.answer
        const id = `call-${calls++}`
        const model = new ScriptedModel([[{ id, name, params }], "done"])
        const graph = langchain.createAgent({ model, tools, checkpointer: new MemorySaver() })
        const controller = new AbortController()
        const { signal } = controller
        const run = async (input: object) => {
          const config = {
            configurable: { thread_id: id },
            signal,
            streamMode: ["custom", "values"] as const,
          }
          let state: { readonly __interrupt__?: ReadonlyArray<unknown> } = {}
          for await (const part of await graph.stream(input as never, config as never)) {
            const [mode, chunk] = part as unknown as readonly [string, object]
            if (mode === "values") state = chunk
            else if (!isStreamed(JSON.stringify(chunk))) continue
            else if (whenShown === "cancel") controller.abort()
            else if (whenShown === "let it end") folder.letItEnd()
          }
          return state
        }
        try {
          const { __interrupt__: asked = [] } = await run({ messages: [new HumanMessage("Go on")] })
          const decisions = [decisionOf(answer, name)]
          if (asked.length > 0) await run(new Command({ resume: { decisions } }))
        } catch (error) {
          if (!signal.aborted) throw error
          return undefined
        }
        return JSON.stringify(toldIn(model.asked.at(-1) ?? [])[id]?.content)
      },
      [Symbol.asyncDispose]: () => executor.shutdown(),
    }
  },
}
