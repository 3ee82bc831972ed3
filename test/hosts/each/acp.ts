/** `stepline acp`, a scripted agent, in an editor made with the SDK's client. */
import { Agent, type Answer } from "../acp/editor.ts"
import { type Host, isStreamed, type OpenHost, toolArgs, type User } from "./host.ts"

/** All that an editor's user would like to say: what the protocol has no place for is not heard. */
const permissionOf = (answer: User["answer"]): Answer => {
  if (answer === "approve") return "allow_once"
  const optionId = "reason" in answer ? "reject_once" : "allow_once"
  return { optionId, ...answer, ...("params" in answer && { rawInput: answer.params }) }
}

/** @param cli The built command. */
export const acp = (cli: { readonly path: string }): Host => ({
  name: "editor (ACP)",
  by: {
    approve: "permission",
    "deny with a reason": { cannot: "the answer to a permission is one of its options" },
    edit: { cannot: "the answer to a permission is one of its options" },
    stream: "`tool_call_update`",
    cancel: "`session/cancel`",
    background: "`in_progress`",
    "preview and resolve": "call of `resolve`",
    "ask within code": "permission",
  },
  async open(folder): Promise<OpenHost> {
    let user: User
    const command = [process.execPath, cli.path, "acp", ...toolArgs]
    const agent = await Agent.start(command, { cwd: folder.path })
    const editor = await agent.open(folder.path, { answer: () => permissionOf(user.answer) })
    let calls = 0
    return {
      async call(call, given) {
        user = given
        const callId = `call-${calls++}`
        const ended = editor.prompt({ ...call, callId })
        // Prompts after the first have ids of their own.
        const shownId = calls === 1 ? callId : `${callId}-${calls}`
        const isShown = () => editor.call(shownId).content?.length > 0 && isStreamed(editor.textOf(shownId))
        if (given.whenShown !== undefined) {
          await editor.until(isShown)
          if (given.whenShown === "cancel") await editor.cancel()
          else folder.letItEnd()
        }
        if ((await ended) === "cancelled") return undefined
        // The turn is over, and the editor shows that the call goes on.
        const isInBackground = editor.call(shownId).status === "in_progress"
        return isInBackground ? `Running in background (task_id: ${shownId})` : editor.textOf(shownId)
      },
      [Symbol.asyncDispose]: () => agent[Symbol.asyncDispose](),
    }
  },
})
