/**
 * One end of a connection between a host and the process of a module: questions, answers, notes and aborts as JSON lines, in
 * both directions. What arrives is untrusted: anything but these messages is ignored, and a line has a maximum length.
 */
import { AsyncLocalStorage } from "node:async_hooks"
import type { Socket } from "node:net"
import { StringDecoder } from "node:string_decoder"
import { whenAborted } from "../../model/when-aborted.ts"
import { isPlainObject } from "../../schema/plain-object.ts"
import { messageOf } from "../../text/message-of.ts"

export type Message = Readonly<Record<string, unknown>>

/** Answers a question, or takes a note. `asker`: what `ask` was given, for messages that come on behalf of its question. */
export type Handle<Asker> = (
  method: string,
  params: Message,
  signal: AbortSignal,
  asker: Asker | undefined,
) => unknown

interface Question<Asker> {
  readonly asker: Asker
  resolve(value: unknown): void
  reject(error: Error): void
  /** Runs code in the async context of the question: time for the user's answers is not counted for its deadline. */
  run<T>(work: () => T): T
}

/** In characters: images and details of results are part of a line. */
const maxLine = 100_000_000

/** The id of the question that the running code answers. */
const answering = new AsyncLocalStorage<number | undefined>()

export class Peer<Asker> {
  private readonly socket: Socket
  private readonly handle: Handle<Asker>
  private readonly questions = new Map<number, Question<Asker>>()
  private readonly aborts = new Map<number, AbortController>()
  private readonly decoder = new StringDecoder("utf8")
  private line: Array<string> = []
  private length = 0
  private lastId = 0

  constructor(socket: Socket, handle: Handle<Asker>) {
    this.socket = socket
    this.handle = handle
    socket.on("error", () => socket.destroy())
    socket.on("data", (bytes) => this.read(this.decoder.write(bytes)))
  }

  /** Rejects with the error of the other end, and with that of `close`. Keeps this process alive until then. */
  ask(method: string, params: Message, asker: Asker, signal?: AbortSignal): Promise<unknown> {
    const id = ++this.lastId
    const abort = () => this.send({ abort: id })
    const release = signal && whenAborted(signal, abort)
    const answer = new Promise((resolve, reject) => {
      this.questions.set(id, { asker, resolve, reject, run: AsyncLocalStorage.snapshot() })
      this.socket.ref()
      this.send({ id, of: answering.getStore(), method, params })
      if (signal?.aborted === true) abort()
    })
    return answer.finally(() => {
      release?.()
      this.questions.delete(id)
      if (this.questions.size === 0) this.socket.unref()
    })
  }

  tell(method: string, params: Message): void {
    this.send({ of: answering.getStore(), method, params })
  }

  close(error: Error): void {
    this.socket.destroy()
    for (const { reject } of this.questions.values()) reject(error)
  }

  private send(message: Message): void {
    if (!this.socket.destroyed) this.socket.write(`${JSON.stringify(message)}\n`)
  }

  private read(text: string): void {
    const [first = "", ...rest] = text.split("\n")
    this.line.push(first)
    this.length += first.length
    for (const next of rest) {
      const whole = this.line.join("")
      this.line = [next]
      this.length = next.length
      this.take(whole)
    }
    if (this.length > maxLine) this.socket.destroy()
  }

  private take(line: string): void {
    let message: unknown
    try {
      message = JSON.parse(line)
    } catch {
      return
    }
    if (!isPlainObject(message)) return
    const { id, method, abort, error, value } = message
    if (typeof method === "string") void this.answer(message, method)
    else if (typeof abort === "number") this.aborts.get(abort)?.abort()
    else if (typeof error === "string") this.questions.get(id as number)?.reject(new Error(error))
    else this.questions.get(id as number)?.resolve(value ?? undefined)
  }

  private async answer({ id, of, params }: Message, method: string): Promise<void> {
    const question = this.questions.get(of as number)
    const controller = new AbortController()
    const isAsked = typeof id === "number"
    if (isAsked) this.aborts.set(id, controller)
    const work = () =>
      this.handle(method, isPlainObject(params) ? params : {}, controller.signal, question?.asker)
    const run = () => answering.run(isAsked ? id : undefined, work)
    let reply: Message
    try {
      reply = { id, value: await (question === undefined ? run() : question.run(run)) }
    } catch (error) {
      reply = { id, error: messageOf(error) }
    }
    if (!isAsked) return
    this.aborts.delete(id)
    this.send(reply)
  }
}
