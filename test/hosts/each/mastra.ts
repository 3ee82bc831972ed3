/** Mastra: an agent with a scripted model. */
import { agentOf, type MastraStream } from "../mastra/mastra.ts"
import { type Host, isStreamed, type OpenHost, type User } from "./host.ts"
import { askDuring, executorIn } from "./in-process.ts"

const resumeOf = (answer: User["answer"]) => {
  if (answer === "approve") return { type: "approve" }
  if ("reason" in answer) return { type: "reject", message: answer.reason }
  return { type: "edit", editedAction: { args: answer.params } }
}

export const mastra: Host = {
  name: "Mastra",
  program: "mastra",
  by: {
    approve: '`{ type: "approve" }`',
    "deny with a reason": '`{ type: "reject", message }`',
    edit: '`{ type: "edit", editedAction }`',
    stream: "chunks `tool-output`",
    cancel: "`abortSignal`",
    background: "tools for tasks",
    "preview and resolve": "call of `resolve`",
    "ask within code": "`onQuestion`",
  },
  async open(folder): Promise<OpenHost> {
    const executor = await executorIn(folder)
    let calls = 0
    return {
      async call({ name, params }, { answer, whenShown }) {
        const id = `call-${calls++}`
        const options = { agentId: "main", ...askDuring(answer), approval: "before" as const }
        const { agent, told } = agentOf(executor, [[{ id, name, params }], "done"], options)
        const controller = new AbortController()
        const { signal: abortSignal } = controller
        const isSuspended = async ({ fullStream }: MastraStream) => {
          let isAsked = false
          for await (const chunk of fullStream) {
            if (chunk.type === "tool-call-suspended") isAsked = true
            if (!isStreamed(JSON.stringify(chunk))) continue
            if (whenShown === "cancel") controller.abort()
            else if (whenShown === "let it end") folder.letItEnd()
          }
          return isAsked
        }
        const first = await agent.stream("Go on", { abortSignal })
        const { runId } = first
        if (await isSuspended(first))
          await isSuspended(
            await agent.resumeStream(resumeOf(answer), { runId, toolCallId: id, abortSignal }),
          )
        return abortSignal.aborted ? undefined : JSON.stringify(told()[id])
      },
      [Symbol.asyncDispose]: () => executor.shutdown(),
    }
  },
}
