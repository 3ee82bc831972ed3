/** An executor with a call in every state, for tests of what a cancel ends. */
import { pipeline, Step, type ToolExecutor } from "../../src/index.ts"
import { ScriptedHost } from "../../src/testing.ts"
import { never, turn } from "./deferred.ts"
import { executorOf } from "./executor-of.ts"

export const stuck = pipeline().andThen(() => never())
const asking = pipeline().andThen(() => Step.Delegate({ _tag: "Ask" }))
export const gate = pipeline().awaitApproval()

/** Calls of three agents: one runs, one is at a gate, one has asked the host; each has one queued behind. */
export const busyExecutor = async (): Promise<{ executor: ToolExecutor; host: ScriptedHost }> => {
  const executor = executorOf({ stuck, gate, asking, tool: pipeline() })
  const host = new ScriptedHost(executor)
  executor.enqueue([
    { agentId: "a", callId: "runs", name: "stuck" },
    { agentId: "b", callId: "gate", name: "gate" },
    { agentId: "c", callId: "asks", name: "asking" },
    { agentId: "a", callId: "a2", name: "tool" },
    { agentId: "b", callId: "b2", name: "tool" },
    { agentId: "c", callId: "c2", name: "tool" },
    { agentId: "d", callId: "bg", name: "stuck", background: true },
    { agentId: "d", callId: "bgGate", name: "gate", background: true },
  ])
  await turn()
  for (let told = 0; told < 9; told++) await host.until(() => true)
  return { executor, host }
}
