/**
 * Serves one client: reads and answers its requests one by one, and sends events. No input makes it fail. It ends, after cleanup,
 * when the client's input ends, when the client requests that, or when it is stopped.
 */
import { setTimeout as delay } from "node:timers/promises"
import type { DelegateEvent } from "../../model/event.ts"
import type { ToolRegistry } from "../../model/registry.ts"
import type { ToolExecutor } from "../../pipeline/executor.ts"
import { messageOf } from "../../text/message-of.ts"
import { EventFlow } from "./event-flow.ts"
import { HostTools } from "./host-tools.ts"
import { protocolVersion, readSession, type Session, unanswered } from "./initialize.ts"
import { codes, errorMessage, RpcError, type RpcId, readRequest, resultMessage } from "./json-rpc.ts"
import { type ReadLine, readLines } from "./line-reader.ts"
import { type LineOutput, LineWriter } from "./line-writer.ts"
import { type Host, methodNames, methodOf } from "./methods.ts"
import { Params } from "./params.ts"

/** The executor for a client. */
export interface Opened {
  readonly executor: ToolExecutor
  readonly registry: ToolRegistry
}

export interface ServeOptions {
  readonly version: string
  readonly input: AsyncIterable<Buffer>
  readonly output: LineOutput
  /** Rejects with a TypeError, or an error that `isClientsFault` recognises, for an invalid session. */
  readonly open: (session: Session) => Promise<Opened>
  readonly isClientsFault: (error: unknown) => boolean
}

/** Bytes of unread answers beyond which no more requests are read. Events wait for an empty pipe. */
const maxPendingAnswers = 1024 * 1024

/** Requests that wait for a task or a preview. */
const maxWaiting = 10_000

/** How long a client has, after cleanup, to read the last events, and then the last answers, in milliseconds. */
const farewell = 3_000

export class ServeHost {
  private readonly options: ServeOptions
  private readonly writer: LineWriter
  private host: Host | undefined
  private flowing: Promise<void> = Promise.resolve()
  private waiting = 0
  private opening: Promise<unknown> | undefined
  private down: Promise<void> | undefined
  private isClientThere = true
  private readonly ended: Promise<void>
  private end = () => {}

  constructor(options: ServeOptions) {
    this.options = options
    this.writer = new LineWriter(options.output)
    this.ended = new Promise((resolve) => {
      this.end = resolve
    })
  }

  /** Runs until the client has ended. */
  async run(): Promise<void> {
    void this.read().finally(() => {
      // Nobody will answer or acknowledge any more.
      this.isClientThere = false
      this.host?.flow.openWindow()
      return this.stop()
    })
    await this.ended
  }

  /** Cancels and cleans up everything, and sends the events while the client reads. */
  async stop(): Promise<void> {
    await this.shutdown()
    await Promise.race([this.writer.room(), delay(farewell)])
    this.writer.close()
    this.end()
  }

  private shutdown(): Promise<void> {
    this.down ??= this.close()
    return this.down
  }

  private async close(): Promise<void> {
    await this.opening?.catch(() => {})
    await this.host?.executor.shutdown()
    await Promise.race([this.flowing, delay(farewell)])
  }

  private async read(): Promise<void> {
    for await (const line of readLines(this.options.input)) {
      // No more requests are read from a client that does not read its answers.
      await this.writer.room(maxPendingAnswers)
      await this.take(line)
    }
  }

  private async take(line: ReadLine): Promise<void> {
    if ("fault" in line) {
      this.writer.send(errorMessage(null, new RpcError(codes.parse, `${line.fault} Send a message a line.`)))
      return
    }
    const request = readRequest(line.text)
    if ("fault" in request) {
      this.writer.send(errorMessage(request.id, request.fault))
      return
    }
    const { id, method, params } = request
    try {
      const result = this.perform(method, params)
      if (!(result instanceof Promise)) this.answer(id, result)
      // Later requests may need the executor.
      else if (method === "initialize") this.answer(id, await result)
      else void this.answerLater(id, method, result)
    } catch (error) {
      this.refuse(id, error)
    }
  }

  private perform(method: string, values: Readonly<Record<string, unknown>>): object | Promise<object> {
    if (method === "initialize") return this.initialize(values)
    const known = methodOf(method)
    if (known === undefined) {
      const message = `There is no method \`${method}\`. Methods: ${methodNames.join(", ")}.`
      throw new RpcError(codes.unknownMethod, message)
    }
    if (this.host === undefined) {
      throw new RpcError(
        codes.notInitialized,
        `Send \`initialize\` before \`${method}\`, and wait for its answer.`,
      )
    }
    if (known.waits === true && this.waiting >= maxWaiting) {
      throw new RpcError(codes.refused, `${maxWaiting} requests wait for their answers already.`)
    }
    return known.call(this.host, new Params(method, values, known.takes))
  }

  private async initialize(values: Readonly<Record<string, unknown>>): Promise<object> {
    if (this.host !== undefined)
      throw new RpcError(codes.invalidRequest, "There was an `initialize` already: a session has one.")
    const session = readSession(values)
    const opening = this.options.open(session)
    this.opening = opening
    const { executor, registry } = await opening
    const flow = new EventFlow({
      executor,
      writer: this.writer,
      window: session.window,
      answer: (event) => this.answerForClient(event, session.answers),
    })
    this.host = {
      executor,
      flow,
      hostTools: new HostTools(registry),
      shutdown: () => this.shutdown(),
    }
    this.flowing = flow.run()
    return { protocolVersion, serverInfo: { name: "stepline", version: this.options.version } }
  }

  /** Fails effects that no client would answer. */
  private answerForClient(event: DelegateEvent, answers: Session["answers"]): boolean {
    const { _tag } = event.effect
    if (this.isClientThere && answers(_tag)) return false
    event.fail(this.isClientThere ? unanswered(_tag) : "The client is gone")
    return true
  }

  private async answerLater(id: RpcId | undefined, method: string, result: Promise<object>): Promise<void> {
    this.waiting += 1
    try {
      this.answer(id, await result)
    } catch (error) {
      this.refuse(id, error)
    } finally {
      this.waiting -= 1
    }
    if (method === "shutdown") void this.stop()
  }

  private answer(id: RpcId | undefined, result: object): void {
    if (id !== undefined) this.writer.send(resultMessage(id, result))
  }

  /** A notification that fails gets no answer in JSON-RPC. */
  private refuse(id: RpcId | undefined, error: unknown): void {
    if (id !== undefined) this.writer.send(errorMessage(id, this.errorFor(error)))
  }

  private errorFor(error: unknown): RpcError {
    if (error instanceof RpcError) return error
    const message = messageOf(error)
    if (error instanceof TypeError || this.options.isClientsFault(error)) {
      return new RpcError(codes.invalidParams, message)
    }
    return new RpcError(this.down === undefined ? codes.internal : codes.refused, message)
  }
}
