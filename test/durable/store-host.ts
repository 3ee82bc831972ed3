/** A host: opens a store, queues calls and tells all that it hears. Each handler that runs adds a line to `ran.txt`. */
import { appendFileSync } from "node:fs"
import { runCodeTool } from "../../src/code/index.ts"
import { openDurableExecutor } from "../../src/durable/index.ts"
import { astEditTool, editFileTool, shellTool, writeFileTool } from "../../src/impls/index.ts"
import {
  defineTool,
  handler,
  type Limit,
  pipeline,
  Step,
  type ToolCallInput,
  type ToolEvent,
  ToolRegistry,
} from "../../src/index.ts"

/** What the host does. */
export interface HostPlan {
  readonly calls?: ReadonlyArray<ToolCallInput>
  /** What it answers at gates. Default: nothing. */
  readonly decide?: "approve" | "deny" | "edit"
  /** Approves every second question and denies the rest, or the other way round, by `text`, a number. Tells of each answer once it is stored. */
  readonly approves?: "even" | "odd"
  /** Whether it answers effects. Default true. */
  readonly answers?: boolean
  /** Resolves what is pending, once nothing else is left to do. */
  readonly resolve?: "apply" | "discard"
  /** Kills itself before or after this commit: the first is 1. */
  readonly killAt?: number
  readonly kill?: "before" | "after"
  /** Kills itself once it has told so many lines. */
  readonly diesTelling?: number
  /** Copies its folder into this one before and after each commit: what a kill at this moment would leave behind. */
  readonly images?: string
  /** Only at each so many-th commit, from the first on, before it and after it by turns; and tells of each copy. */
  readonly imageEvery?: number
  /** Tools that are not there any more, or look otherwise now. */
  readonly without?: string
  readonly changed?: boolean
  /** Another store than the file in its folder. */
  readonly store?: string
  /** Runs nothing, and approves these calls. */
  readonly races?: ReadonlyArray<string>
  /** Takes this call back, once nothing else is left to do, and tells what came of it. */
  readonly undo?: string
  /** Kills itself once a call has counted at these limits, and before it begins. */
  readonly diesCounted?: boolean
  readonly limits?: ReadonlyArray<Limit>
  /** Where in the undo of a ticket it kills itself. */
  readonly diesIn?: "ticket 1" | "ticket 2"
  /** Whether it goes on when nothing is left to do, until it is killed. */
  readonly stays?: boolean
}

/** On which side of a commit a host is killed that is killed at each so many-th. */
export const killOf = (commit: number, every: number): "before" | "after" =>
  Math.floor(commit / every) % 2 === 0 ? "before" : "after"

/** The store of a host that works in this folder. */
export const storeOf = (cwd: string, { store = `${cwd}/calls.db` }: HostPlan): string => store

const toolsOf = (cwd: string, plan: HostPlan) => {
  const ran = (line: string) => appendFileSync(`${cwd}/ran.txt`, `${line}\n`)

  const working = (name: string, retry?: "never") =>
    handler(
      name,
      async ({ call, idempotencyKey, output, memory }) => {
        ran(`${call.callId} ${name} ${idempotencyKey}`)
        memory[name] = true
        const text = output?.content.map((block) => (block.type === "text" ? block.text : "")).join("") ?? ""
        await new Promise(setImmediate)
        return Step.Output(`${text}${name};`)
      },
      { retry },
    )

  const dying = (name: string, maxAttempts: number) =>
    handler(
      name,
      ({ call, attempt }) => {
        ran(`${call.callId} ${name} ${attempt}`)
        process.kill(process.pid, "SIGKILL")
        return new Promise<Step>(() => {})
      },
      { maxAttempts },
    )

  const define = (name: string, compose: () => ReturnType<typeof pipeline>) =>
    defineTool({
      name,
      description: name,
      parameters: { type: "object", properties: { text: { type: "string" } } },
      compose: () => (plan.changed ? compose().andThen(working("more")) : compose()),
    })

  return [
    astEditTool,
    editFileTool,
    shellTool,
    writeFileTool,
    define("work", () =>
      pipeline()
        .andThen(working("first"))
        .awaitApproval()
        .andThen(working("second"))
        .finally(working("last")),
    ),
    define("step", () => pipeline().andThen(working("step"))),
    define("once", () => pipeline().andThen(working("before")).andThen(working("strict", "never"))),
    define("ask", () =>
      pipeline()
        .andThen(() => Step.Delegate({ _tag: "Ask", what: "else" }))
        .andThen(working("answered")),
    ),
    define("nest", () =>
      pipeline()
        .andThen(
          handler("nest", async ({ call }) => {
            const contents: Array<string> = []
            for (const text of ["one", "two"]) contents.push((await call("work", { text })).content)
            const rest = await Promise.all([call("work"), call("once"), call("work", { text: "last" })])
            return Step.Output([...contents, ...rest.map(({ content }) => content)].join("|"))
          }),
        )
        .finally(working("last")),
    ),
    runCodeTool({ tools: ["work", "step", "once"] }),
    define("stage", () =>
      pipeline()
        .andThen(working("preview"))
        .awaitResolve({ label: "Change" })
        .andThen(working("apply"))
        .finally(working("close")),
    ),
    define("ticket", () => {
      const ticket = (name: string) =>
        handler(
          name,
          ({ receipt }) => {
            ran(`made ${name}`)
            receipt({ name })
            return Step.Output(name)
          },
          {
            undo: ({ name }: { readonly name: string }) => {
              ran(`took back ${name}`)
              if (plan.diesIn === name) process.kill(process.pid, "SIGKILL")
            },
          },
        )
      return pipeline().andThen(ticket("ticket 1")).awaitApproval().andThen(ticket("ticket 2"))
    }),
    define("lock", () =>
      pipeline()
        .andThen(
          handler("lock", ({ call }) => {
            ran(`${call.callId} lock`)
            process.kill(process.pid, "SIGKILL")
            return new Promise<Step>(() => undefined)
          }),
        )
        .finally(working("last")),
    ),
    define("hang", () =>
      pipeline()
        .andThen(working("began"))
        .andThen(
          handler("hang", ({ call, idempotencyKey }) => {
            ran(`${call.callId} hang ${idempotencyKey}`)
            return new Promise<Step>(() => setInterval(() => undefined, 1000))
          }),
        )
        .finally(working("last")),
    ),
    // Innocent, but in the middle of its work whenever the poison ends its process.
    define("slow", () =>
      pipeline()
        .andThen(
          handler("slow", async ({ call, attempt }) => {
            ran(`${call.callId} slow ${attempt}`)
            await new Promise((resolve) => setTimeout(resolve, 50))
            return Step.Output("done")
          }),
        )
        .andThen(working("after")),
    ),
    define("poison", () =>
      pipeline()
        .andThen(
          handler("poison", ({ call, attempt }) => {
            ran(`${call.callId} poison ${attempt}`)
            process.kill(process.pid, "SIGKILL")
            return new Promise<Step>(() => {})
          }),
        )
        .finally(working("last")),
    ),
    define("fragile", () =>
      pipeline().andThen(dying("once", 1)).finally(dying("twice", 2)).finally(working("last")),
    ),
    define("brittle", () => pipeline().andThen(dying("once", 1))),
    define("poisoned_cleanup", () =>
      pipeline()
        .andThen(working("work"))
        .finally(function poisonedCleanup({ call, attempt }) {
          ran(`${call.callId} cleanup ${attempt}`)
          process.kill(process.pid, "SIGKILL")
          return new Promise<Step>(() => {})
        })
        .finally(working("last")),
    ),
  ].filter(({ name }) => name !== plan.without)
}

/** Runs until nothing is left to do, and closes the store: the file in the folder, where the plan names no other. */
export const runHost = async (cwd: string, plan: HostPlan, tell: (line: object) => void): Promise<void> => {
  const onStoreError = (error: unknown) =>
    tell({ _tag: error === undefined ? "Back" : "Away", message: String(error) })
  const durable = await openDurableExecutor({
    store: storeOf(cwd, plan),
    registry: new ToolRegistry(toolsOf(cwd, plan)),
    cwd,
    ...(plan.limits !== undefined && { limits: plan.limits }),
    onStoreError,
  })
  const { executor } = durable
  await durable.enqueue(plan.calls ?? [])
  tell({ _tag: "Opened", tasks: await durable.tasks.list(), pending: executor.agent().pendingActions.list() })

  const decide = (
    event: Extract<Awaited<ReturnType<typeof executor.next>>, { _tag: "AwaitingApproval" }>,
  ) => {
    if (plan.decide === "approve") event.approve()
    if (plan.decide === "deny") event.deny("no")
    if (plan.decide === "edit") event.approve({ params: { text: "edited" } })
    if (plan.approves === undefined) return
    const { callId } = event
    const isApproved =
      (Number((event.params as { text: string }).text) % 2 === 0) === (plan.approves === "even")
    const answered = isApproved ? durable.approve(callId) : durable.deny(callId, "no")
    void answered.then((took) => took && tell({ _tag: "Answered", callId, isApproved }))
  }

  while (plan.stays) {
    // Another one, once others have held this process to be dead.
    for await (const event of durable.executor.events) {
      tell(event)
      if (event._tag === "AwaitingApproval") decide(event)
      if (event._tag === "Delegate" && plan.answers !== false) event.succeed("answered")
    }
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  for (;;) {
    for (let event = await executor.next(); event !== undefined; event = await executor.next()) {
      tell(event)
      if (event._tag === "AwaitingApproval") decide(event)
      if (event._tag === "Delegate" && plan.answers !== false) event.succeed("answered")
    }
    if (plan.resolve === undefined || !executor.agent().pendingActions.hasPending) break
    const callId = `resolve-${executor.agent().pendingActions.peek()?.actionId}`
    await durable.enqueue([{ callId, name: "resolve", params: { action: plan.resolve, reason: "so" } }])
  }
  if (plan.undo !== undefined) {
    const agent = executor.agent()
    const { status, content } = await agent.undo({ callId: plan.undo })
    tell({ _tag: "Preview", status, content, changes: executor.changes() })
    if (status === "complete") {
      const onEvent = (event: ToolEvent) => void (event._tag === "AwaitingApproval" && event.approve())
      const applied = await agent.resolve({ action: "apply", reason: "so" }, { onEvent })
      tell({ _tag: "Applied", status: applied.status, content: applied.content })
    }
  }
  tell({ _tag: "Idle", tasks: await durable.tasks.list() })
  await durable.close()
}
