/** Both versions of the AI SDK: `streamText` with a scripted model. */
import type { ModelMessage } from "ai"
import { aiSdkTools } from "../../../src/hosts/ai-sdk/index.ts"
import { toldIn, type Version, versions } from "../ai-sdk/versions.ts"
import { type Folder, type Host, isStreamed, type ModelCall, type OpenHost, type User } from "./host.ts"
import { askDuring, executorIn } from "./in-process.ts"

const openIn =
  ({ sdk, scripted }: Version) =>
  async (folder: Folder): Promise<OpenHost> => {
    const executor = await executorIn(folder)
    const stopWhen = sdk.stepCountIs(10)
    let calls = 0

    const call = async ({ name, params }: ModelCall, { answer, whenShown }: User) => {
      const id = `call-${calls++}`
      const host = aiSdkTools(sdk, executor, {
        ...askDuring(answer),
      })
      const turn = async (messages: Array<ModelMessage>, script: Parameters<typeof scripted>[0]) => {
        const { model, asked } = scripted(script)
        const abort = new AbortController()
        const result = sdk.streamText({
          model,
          messages,
          stopWhen,
          abortSignal: abort.signal,
          onError: () => {},
          ...host,
        })
        let approvalId: string | undefined
        for await (const part of result.fullStream) {
          if (part.type === "tool-approval-request") approvalId = part.approvalId
          const isShown = part.type === "tool-result" && part.preliminary === true
          if (!isShown || !isStreamed(JSON.stringify(part.output))) continue
          if (whenShown === "cancel") abort.abort()
          else if (whenShown === "let it end") folder.letItEnd()
        }
        if (abort.signal.aborted) return { told: undefined, approvalId, messages }
        const { messages: added } = await result.response
        const told = JSON.stringify(toldIn(asked.at(-1)!.prompt)[id])
        return { told, approvalId, messages: [...messages, ...added] }
      }

      const start: ModelMessage = { role: "user", content: "Go on" }
      const first = await turn([start], [[{ id, name, params }], "done"])
      if (first.approvalId === undefined) return first.told
      const approval = {
        type: "tool-approval-response" as const,
        approvalId: first.approvalId,
        approved: answer === "approve",
        ...(typeof answer === "object" && "reason" in answer && { reason: answer.reason }),
      }
      return (await turn([...first.messages, { role: "tool", content: [approval] }], ["done"])).told
    }
    return { call, [Symbol.asyncDispose]: () => executor.shutdown() }
  }

export const aiSdks: ReadonlyArray<Host> = versions.map((version) => ({
  name: version.name,
  by: {
    approve: "approval response",
    "deny with a reason": "its `reason`",
    edit: '`approval: "during"`',
    stream: "preliminary results",
    cancel: "`abortSignal`",
    background: "tools for tasks",
    "preview and resolve": "`prepareStep`",
    "ask within code": "`onQuestion`",
  },
  open: openIn(version),
}))
