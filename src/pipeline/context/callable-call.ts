/** The call that handlers see, which they also call to run another tool. */
import type { ToolCall } from "../../model/call.ts"
import type { HandlerContext, RunTool } from "../../model/handler.ts"

/** Reads and writes the data of the call, so that the call looks like a plain object. */
const ofCall = (call: ToolCall): ProxyHandler<RunTool> => ({
  get: (_run, key) => (key === "toJSON" ? () => call : Reflect.get(call, key)),
  set: (_run, key, value) => Reflect.set(call, key, value),
  has: (_run, key) => key === "toJSON" || Reflect.has(call, key),
  ownKeys: () => Reflect.ownKeys(call),
  getOwnPropertyDescriptor: (_run, key) => Reflect.getOwnPropertyDescriptor(call, key),
})

/** A call as `context.call`: its data, and the function that runs another tool. */
export const callableCall = (call: ToolCall, run: RunTool): HandlerContext["call"] =>
  new Proxy(run, ofCall(call)) as HandlerContext["call"]
