/** An application that embeds the executor. */
import type { Host, OpenHost, User } from "./host.ts"
import { isStreamed } from "./host.ts"
import { answerGate, executorIn } from "./in-process.ts"

export const embedded: Host = {
  name: "an application",
  by: {
    approve: "`approve()`",
    "deny with a reason": "`deny(reason)`",
    edit: "`approve({ params })`",
    stream: "`Delta`",
    cancel: "`cancelCall(id)`",
    background: "`executor.tasks`",
    "preview and resolve": "`agent.resolve()`",
    "ask within code": "`approve()`",
  },
  async open(folder): Promise<OpenHost> {
    const executor = await executorIn(folder)
    return {
      async call({ name, params }, { answer, whenShown }: User) {
        if (name === "resolve") return (await executor.agent().resolve(params as never)).content
        const { content } = await executor.run({ name, params }, (event) => {
          if (event._tag === "AwaitingApproval") {
            answerGate(event, answer)
          } else if (event._tag === "Delta" && isStreamed(event.content)) {
            if (whenShown === "cancel") executor.cancelCall(event.callId)
            else if (whenShown === "let it end") folder.letItEnd()
          }
        })
        return content
      },
      [Symbol.asyncDispose]: () => executor.shutdown(),
    }
  },
}
