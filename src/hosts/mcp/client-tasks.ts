/** The tasks of one server's clients, and the methods with which clients follow them. */
import type { Server, ServerContext, StandardSchemaV1 } from "@modelcontextprotocol/server"
import type { ServedTask } from "./served-task.ts"

type Sdk = typeof import("@modelcontextprotocol/server")

/** The extension's name among the capabilities of clients and servers. */
export const tasksExtension = "io.modelcontextprotocol/tasks"

/** Milliseconds for which a task is kept after its end, and so at least after its beginning. */
const ttlMs = 3_600_000
const pollIntervalMs = 1_000
const maxTasks = 1_000

interface Entry {
  readonly task: ServedTask
  readonly owner: string
  /** By a monotonic clock; undefined while the task runs. */
  endedAt: number | undefined
}

type Params = Readonly<Record<string, unknown>>

/** Accepts any object of parameters or of an answer: its contents are checked where they are read. */
export const anyObject: StandardSchemaV1<unknown, Params> = {
  "~standard": {
    version: 1,
    vendor: "stepline",
    validate: (value) => ({ value: Object(value) as Params }),
  },
}

/** The owner of a request, as far as its transport knows: the authorized client, and the session. */
export const ownerOf = ({ sessionId, http }: ServerContext): string =>
  JSON.stringify([http?.authInfo?.clientId ?? null, sessionId ?? null])

/** The tasks by their ids. They outlive the requests that made them; only their owners see them. */
export class ClientTasks {
  private readonly sdk: Sdk
  private readonly entries = new Map<string, Entry>()

  constructor(sdk: Sdk) {
    this.sdk = sdk
  }

  /** Whether there is room for another task. */
  get hasRoom(): boolean {
    const oldest = performance.now() - ttlMs
    for (const [id, { endedAt }] of this.entries) {
      if (endedAt !== undefined && endedAt < oldest) this.entries.delete(id)
    }
    return this.entries.size < maxTasks
  }

  /** Keeps a task; returns its description for the client. */
  add(task: ServedTask, owner: string): Record<string, unknown> {
    this.entries.set(task.taskId, { task, owner, endedAt: undefined })
    const { taskId, createdAt, lastUpdatedAt } = task.describe()
    const status = "working"
    return { resultType: "task", taskId, status, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs }
  }

  /** Records the end of a task, which starts its time to live. */
  ended(taskId: string): void {
    const entry = this.entries.get(taskId)
    if (entry !== undefined) entry.endedAt = performance.now()
  }

  /** @param isDeclared Whether the client of a request declares the extension. @param who Who answers in a request. */
  serve(
    server: Server,
    isDeclared: (context: ServerContext) => boolean,
    who: ((context: ServerContext) => string | undefined) | undefined,
  ): void {
    const on = (method: string, answer: (task: ServedTask, context: ServerContext) => object) =>
      server.setRequestHandler(method, { params: anyObject }, (params, context) => {
        if (!isDeclared(context)) throw this.missingCapability()
        return answer(this.taskOf(params, ownerOf(context)), context) as never
      })
    on("tasks/get", (task) => ({ ...task.describe(), ttlMs, pollIntervalMs }))
    on("tasks/update", (task, context) => {
      // The SDK has removed the responses from the parameters, as for every request.
      task.answer(context.mcpReq.inputResponses ?? {}, who?.(context))
      return {}
    })
    on("tasks/cancel", (task) => {
      task.cancel()
      return {}
    })
  }

  /** The error for a client that does not declare the extension. */
  missingCapability(): Error {
    const requiredCapabilities = { extensions: { [tasksExtension]: {} } }
    return new this.sdk.MissingRequiredClientCapabilityError({ requiredCapabilities })
  }

  private taskOf({ taskId }: Params, owner: string): ServedTask {
    const entry = typeof taskId === "string" ? this.entries.get(taskId) : undefined
    // Another owner's task is not even confirmed to exist.
    if (entry?.owner === owner) return entry.task
    const { ProtocolError, ProtocolErrorCode } = this.sdk
    const message = `There is no task ${JSON.stringify(taskId)}: it is over for long, or never was`
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, message)
  }
}
