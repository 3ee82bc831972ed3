// Calls inside workflows of DBOS: each handler is a step, each question a message that the workflow waits for. Run it with the address of
// an empty Postgres database. A host is killed while it asks, and the next one continues.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { DBOS } from "@dbos-inc/dbos-sdk"
import {
  defineTool,
  type HandlerFunction,
  handler,
  pipeline,
  runHandler,
  Step,
  type Tool,
  type ToolCallInput,
  ToolExecutor,
  ToolRegistry,
} from "stepline"

/** The same tool, whose handlers DBOS records: after a crash it returns the step of a handler that had ended. */
const recorded = (tool: Tool): Tool => ({
  ...tool,
  compose: (params, call) =>
    tool.compose(params, call).map((each, index) => {
      const run: HandlerFunction = async (context) => {
        const work = async () => ({ step: await runHandler(each, context), memory: context.memory })
        const { step, memory } = await DBOS.runStep(work, { name: `${index} ${each.name}` })
        Object.assign(context.memory, memory)
        return step
      }
      return handler(each.name, run, each)
    }),
})

const say = (text: string): Step => {
  console.log(text)
  return Step.Output(text)
}
const publish = defineTool({
  name: "publish",
  description: "Publishes a page.",
  parameters: { type: "object", properties: { page: { type: "string" } }, required: ["page"] },
  compose: ({ page }) =>
    pipeline()
      .andThen(handler("check", () => say(`checked ${page}`)))
      .awaitApproval()
      .andThen(handler("publish", () => say(`published ${page}`)))
      .finally(handler("close", () => say("closed"))),
})
const registry = new ToolRegistry([recorded(publish)])

const runCall = DBOS.registerWorkflow(
  async (call: ToolCallInput) => {
    await using executor = new ToolExecutor(registry)
    const events = executor.runEvents({ ...call, callId: DBOS.workflowID! })
    for (;;) {
      const { done, value } = await events.next()
      if (done) return `${value.status}: ${value.content}`
      if (value._tag !== "AwaitingApproval") continue
      await DBOS.setEvent("question", `${value.name} ${JSON.stringify(value.params)}`)
      const isApproved = await DBOS.recv<boolean>("answer", { timeoutSeconds: 24 * 60 * 60 })
      if (isApproved === true) value.approve()
      else value.deny(isApproved === false ? undefined : "Nobody answered within a day")
    }
  },
  { name: "runCall" },
)

const [url, isChild] = process.argv.slice(2)
DBOS.setConfig({
  name: "stepline-example",
  systemDatabaseUrl: url!,
  logLevel: "error",
  runAdminServer: false,
})
if (isChild !== undefined) {
  await DBOS.launch()
  await DBOS.startWorkflow(runCall, { workflowID: "call-1" })({ name: "publish", params: { page: "home" } })
  console.log(`asks: ${await DBOS.getEvent("call-1", "question")}`)
} else {
  const args = [...process.execArgv, fileURLToPath(import.meta.url), url!, "child"]
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] })
  for await (const text of child.stdout) {
    process.stdout.write(`Child: ${text}`)
    if (String(text).includes("asks: ")) child.kill("SIGKILL")
  }
  await once(child, "exit")
  console.log("The child is killed.")
  await DBOS.launch()
  await DBOS.send("call-1", true, "answer", "call-1/1")
  console.log(await DBOS.retrieveWorkflow<string>("call-1").getResult())
  await DBOS.shutdown()
}
