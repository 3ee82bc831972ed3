/**
 * A connection to one Neovim. The requests of the client package have no time limit, and its reader throws uncatchable
 * errors. Here the socket never fails, and every request ends, at the latest with the connection.
 */
import { connect, type Socket } from "node:net"
import { PassThrough } from "node:stream"
import type { NeovimClient } from "neovim"
import { formatMillis } from "../../model/duration.ts"
import { messageOf } from "../../text/message-of.ts"
import { loadPeer } from "../load-peer.ts"
import { MessageFrames } from "./message-frames.ts"

/** Neovim has exited, or the connection was closed. */
export class ConnectionClosed extends Error {}

export interface ConnectionOptions {
  /** Time limit for connecting and for an answer, in milliseconds. */
  readonly timeout: number
  readonly onNotification: (method: string, args: ReadonlyArray<unknown>) => void
}

export interface ExecuteOptions {
  /** Aborted when nobody waits for the answer. */
  readonly signal?: AbortSignal
  /** Sent even if an earlier request is unanswered. */
  readonly evenIfStalled?: boolean
}

type ClientModule = Pick<typeof import("neovim"), "NeovimClient">

const silent = () => {}
// The client's default logger replaces the console.
const logger = { level: "error", info: silent, warn: silent, error: silent, debug: silent }

/** Opens the socket; resolves with undefined if nobody listens. */
const openSocket = (address: string, timeout: number): Promise<Socket | undefined> =>
  new Promise((resolve) => {
    const tcp = /^([^/\\]+):(\d{1,5})$/.exec(address)
    let socket: Socket
    try {
      socket = tcp === null ? connect({ path: address }) : connect({ host: tcp[1]!, port: Number(tcp[2]) })
    } catch {
      resolve(undefined)
      return
    }
    const timer = setTimeout(() => socket.destroy(), timeout)
    // Not removed: a write to an editor that has just gone fails last.
    socket.on("error", silent)
    socket.once("close", () => {
      clearTimeout(timer)
      resolve(undefined)
    })
    socket.once("connect", () => {
      clearTimeout(timer)
      resolve(socket)
    })
  })

/** The input of the client. It ends and never fails; a peer that sends anything but RPC messages is disconnected. */
const readerOf = (socket: Socket): PassThrough => {
  const reader = new PassThrough()
  const frames = new MessageFrames()
  socket.on("data", (chunk: Buffer) => {
    try {
      for (const message of frames.push(chunk)) reader.write(message)
    } catch {
      socket.destroy()
    }
  })
  socket.once("close", () => reader.end())
  return reader
}

/** Disconnects on an answer without a request, or a message that is not Neovim's, because the client would throw. */
const letGoOnFault = (client: NeovimClient, socket: Socket): void => {
  const { transport } = client as unknown as { transport: { parseMessage(message: unknown): void } }
  const parse = transport.parseMessage.bind(transport)
  transport.parseMessage = (message) => {
    try {
      parse(message)
    } catch {
      socket.destroy()
    }
  }
}

/** Neovim's own message for a failure, without the position in our code. */
const sentenceOf = (error: unknown): string => {
  const [line = ""] = messageOf(error).split("\n", 1)
  return /\bE\d+: .*/.exec(line)?.[0] ?? line.replace(/^nvim_exec_lua: (Error executing lua: |Lua: )?/, "")
}

export class NvimConnection {
  readonly address: string
  /** Settles when the connection has ended, for any reason. */
  readonly closed: Promise<void>
  isOpen = true
  private readonly socket: Socket
  private readonly client: NeovimClient
  private readonly timeout: number
  /** Functions that fail the waiting requests. */
  private readonly waiting = new Set<(error: Error) => void>()
  /** The number of requests that timed out and can still be answered. */
  private overdue = 0

  private constructor(address: string, socket: Socket, client: NeovimClient, options: ConnectionOptions) {
    this.address = address
    this.socket = socket
    this.client = client
    this.timeout = options.timeout
    this.client.on("notification", options.onNotification)
    this.closed = new Promise((resolve) => {
      socket.once("close", () => {
        this.isOpen = false
        for (const fail of this.waiting) fail(new ConnectionClosed())
        resolve()
      })
    })
  }

  /** Connects; resolves with undefined if nobody listens. Rejects if the client, an optional package, is not installed. */
  static async open(
    address: string,
    options: ConnectionOptions,
    load: () => Promise<ClientModule> = () => import("neovim"),
  ): Promise<NvimConnection | undefined> {
    const socket = await openSocket(address, options.timeout)
    if (socket === undefined) return undefined
    // An idle connection does not keep the process alive.
    socket.unref()
    try {
      const { NeovimClient: Client } = await loadPeer("neovim", "5", load)
      if (socket.destroyed) return undefined
      const client = new Client({ logger: logger as unknown as NeovimClient["logger"] })
      const connection = new NvimConnection(address, socket, client, options)
      letGoOnFault(client, socket)
      client.attach({ reader: readerOf(socket), writer: socket })
      return connection
    } catch (error) {
      socket.destroy()
      throw error
    }
  }

  /**
   * Runs Lua, whose first argument is the number of this connection's channel. Rejects with Neovim's error message, with a
   * time-out, and with ConnectionClosed.
   */
  execute(lua: string, args: ReadonlyArray<unknown>, options: ExecuteOptions = {}): Promise<unknown> {
    const { signal, evenIfStalled = false } = options
    if (!this.isOpen) return Promise.reject(new ConnectionClosed())
    // Requests must not pile up for a suspended Neovim.
    if (this.overdue > 0 && !evenIfStalled) return Promise.reject(this.noAnswer())
    return new Promise((resolve, reject) => {
      let isSettled = false
      let isOverdue = false
      const settle = (end: () => void) => {
        if (isSettled) return
        isSettled = true
        clearTimeout(timer)
        signal?.removeEventListener("abort", onAbort)
        this.waiting.delete(fail)
        end()
      }
      const fail = (error: unknown) => settle(() => reject(error))
      const onAbort = () => fail(signal?.reason)
      const onTimeout = () => {
        isOverdue = true
        this.overdue += 1
        fail(this.noAnswer())
      }
      const onAnswer = (end: () => void) => {
        if (isOverdue) this.overdue -= 1
        settle(end)
      }
      const timer = setTimeout(onTimeout, this.timeout)
      this.waiting.add(fail)
      if (signal?.aborted) return onAbort()
      signal?.addEventListener("abort", onAbort)
      this.send(lua, args, () => isSettled).then(
        (value) => onAnswer(() => resolve(value)),
        (error) => onAnswer(() => reject(new Error(`Neovim says: ${sentenceOf(error)}`))),
      )
    })
  }

  private async send(lua: string, args: ReadonlyArray<unknown>, isSettled: () => boolean): Promise<unknown> {
    const channel = await this.client.channelId
    if (isSettled()) return undefined
    return this.client.request("nvim_exec_lua", [lua, [channel, ...args]])
  }

  close(): void {
    this.socket.destroy()
  }

  private noAnswer(): Error {
    return new Error(
      `Neovim at ${this.address} did not answer within ${formatMillis(this.timeout)}. It may be suspended or wait for a key: bring it back, or quit it, and try again.`,
    )
  }
}
