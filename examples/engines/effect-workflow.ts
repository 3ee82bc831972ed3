// Calls inside workflows of Effect: an activity runs a call from one question to the next, and its snapshot is kept between them. Run it
// with the address of an empty Postgres database. A host is killed while it asks, and the next one continues.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { PgClient } from "@effect/sql-pg"
import { Effect, Exit, Layer, ManagedRuntime, Redacted, References, Schema } from "effect"
import { ClusterWorkflowEngine, SingleRunner } from "effect/cluster"
import { Digest } from "effect/crypto"
import { Activity, DurableDeferred, Workflow } from "effect/workflow"
import { type CallSnapshot, defineTool, handler, pipeline, Step, ToolExecutor, ToolRegistry } from "stepline"

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
const registry = new ToolRegistry([publish])

/** Where a call stands: at a question, or at its end. */
type Progress = { readonly question: string; readonly snapshot: CallSnapshot } | { readonly end: string }

/** Runs a call to its next question. `answer`: to the question that the snapshot waits at. */
const advance = async (page: string, snapshot?: CallSnapshot, answer?: boolean): Promise<Progress> => {
  await using executor = new ToolExecutor(registry)
  if (snapshot !== undefined) executor.restore(snapshot)
  else executor.enqueue([{ callId: `publish ${page}`, name: "publish", params: { page } }])
  let answered = answer === undefined
  for (let event = await executor.next(); event !== undefined; event = await executor.next()) {
    if (event._tag === "AwaitingApproval") {
      if (answered) return { question: `publish ${page}`, snapshot: executor.leave(event.callId) }
      answered = true
      if (answer === true) event.approve()
      else event.deny()
    }
    if (event._tag === "Completed" || event._tag === "Error" || event._tag === "Denied")
      return { end: `${event._tag}: ${event.content}` }
  }
  throw new Error("The call was cancelled")
}

const Publish = Workflow.make("publish", {
  payload: { page: Schema.String },
  idempotencyKey: ({ page }) => page,
  success: Schema.String,
})
const answerTo = (n: number) => DurableDeferred.make(`answer-${n}`, { success: Schema.Boolean })

const body = Publish.toLayer(({ page }) =>
  Effect.gen(function* () {
    let snapshot: CallSnapshot | undefined
    let answer: boolean | undefined
    for (let n = 0; ; n++) {
      const run = Effect.promise(() => advance(page, snapshot, answer).then((made) => JSON.stringify(made)))
      const text = yield* Activity.make({ name: `advance-${n}`, success: Schema.String, execute: run })
      const progress = JSON.parse(text) as Progress
      if ("end" in progress) return progress.end
      console.log(`asks: ${progress.question}`)
      snapshot = progress.snapshot
      answer = yield* DurableDeferred.await(answerTo(n))
    }
  }),
)

const [url, isChild] = process.argv.slice(2)
const cluster = SingleRunner.layer({
  runnerStorage: "sql",
  shardingConfig: { shardLockExpiration: "3 seconds", shardLockRefreshInterval: "1 second" },
}).pipe(
  Layer.provideMerge(PgClient.layer({ url: Redacted.make(url!) })),
  Layer.provide(Digest.layerWebCrypto),
  Layer.provideMerge(Layer.succeed(References.MinimumLogLevel, "Error")),
)
const open = () =>
  ManagedRuntime.make(body.pipe(Layer.provideMerge(ClusterWorkflowEngine.layer), Layer.provideMerge(cluster)))
const payload = { page: "home" }

if (isChild !== undefined) await open().runPromise(Publish.execute(payload))
else {
  const args = [...process.execArgv, fileURLToPath(import.meta.url), url!, "child"]
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] })
  for await (const text of child.stdout) {
    process.stdout.write(`Child: ${text}`)
    if (String(text).includes("asks: ")) child.kill("SIGKILL")
  }
  await once(child, "exit")
  console.log("The child is killed.")
  const runtime = open()
  const deferred = answerTo(0)
  const token = await runtime.runPromise(
    DurableDeferred.tokenFromPayload(deferred, { workflow: Publish, payload }),
  )
  await runtime.runPromise(DurableDeferred.done(deferred, { token, exit: Exit.succeed(true) }))
  console.log(await runtime.runPromise(Publish.execute(payload)))
  await runtime.dispose()
}
