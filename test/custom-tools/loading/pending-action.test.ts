import { expect, it } from "vitest"
import { currentCall } from "../../../src/custom-tools/current-call.ts"
import { foreignOwner } from "../../../src/custom-tools/loading/isolation.ts"
import { toPushedAction } from "../../../src/custom-tools/loading/pending-action.ts"
import type { CallingAgent } from "../../../src/model/handler.ts"
import { deferred } from "../../support/deferred.ts"
import { recordingLogger } from "../extensions/load-sources.ts"

const agent = { agentId: "main" } as CallingAgent
const call = { callId: "c", agent, signal: new AbortController().signal }

it("the callbacks of an action listen to the resolving call as foreign code", async () => {
  const resolving = new AbortController()
  const heard = deferred<unknown>()
  const apply = () => {
    const { signal } = currentCall.getStore()!
    signal.addEventListener("abort", () => heard.resolve([foreignOwner(), signal.reason]))
    return { content: [] }
  }
  const action = toPushedAction({ label: "x", sourceToolName: "renamer", apply }, call, recordingLogger())
  await action.apply("reason", undefined, { signal: resolving.signal })
  resolving.abort("enough")
  expect(await heard.promise).toEqual(["renamer", "enough"])
})

it("what a callback leaves to nobody is a warning", async () => {
  const warning = deferred<string>()
  const logger = { ...recordingLogger(), warn: warning.resolve }
  const apply = () => {
    void Promise.reject(new Error("stray"))
    return { content: [] }
  }
  const action = toPushedAction({ label: "x", apply }, call, logger)
  await action.apply("reason", undefined, { signal: call.signal })
  expect(await warning.promise).toBe("custom_tool left a failure to nobody: stray")
})
