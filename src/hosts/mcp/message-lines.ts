/**
 * The lines of an MCP client. An invalid line is answered here, and reading continues: the SDK would ignore it, answer with
 * a dump of schema errors, or, for a long line, close the connection.
 */
import { finished, Transform, type Writable } from "node:stream"
import { got } from "../../model/got.ts"
import { isPlainObject } from "../../schema/plain-object.ts"
import { messageOf } from "../../text/message-of.ts"
import { codes, errorMessage, RpcError, type RpcId } from "../serve/json-rpc.ts"
import { LineSplitter, type ReadLine } from "../serve/line-reader.ts"

type Sdk = typeof import("@modelcontextprotocol/server")

/** An invalid line. A faulty answer gets no answer. */
interface Fault {
  readonly id: RpcId
  readonly error: RpcError
  readonly isAnswer: boolean
}

const expected =
  'Expected a message of JSON-RPC: an object with `jsonrpc`: "2.0", a `method`, an `id` if it is a request, and `params`, if any, by name'

const faultOf = (code: number, message: string, id: unknown = null, isAnswer = false): Fault => ({
  id: typeof id === "string" || Number.isInteger(id) ? (id as RpcId) : null,
  error: new RpcError(code, message),
  isAnswer,
})

const invalid = (message: unknown): Fault => {
  if (Array.isArray(message)) {
    return faultOf(codes.invalidRequest, "Batches are not supported: send a message a line.")
  }
  if (!isPlainObject(message)) return faultOf(codes.invalidRequest, `${expected}, ${got(message)}.`)
  const isAnswer = message.method === undefined && ("result" in message || "error" in message)
  return faultOf(codes.invalidRequest, `${expected}.`, message.id, isAnswer)
}

const readFault = ({ parseJSONRPCMessage }: Sdk, line: ReadLine): Fault | undefined => {
  if ("fault" in line) return faultOf(codes.parse, `${line.fault} Send a message a line.`)
  let message: unknown
  try {
    message = JSON.parse(line.text)
  } catch (error) {
    return faultOf(codes.parse, `The line is no JSON: ${messageOf(error)}. Send a message a line.`)
  }
  try {
    parseJSONRPCMessage(message)
    return undefined
  } catch {
    return invalid(message)
  }
}

/** Resolves once there is room for more, or the reader is gone, since then `drain` is not emitted. */
const room = (output: Writable): Promise<void> =>
  new Promise((resolve) => {
    const go = () => {
      output.off("drain", go)
      stop()
      resolve()
    }
    // Calls back in a later turn, also for a stream that has already ended.
    const stop = finished(output, { readable: false }, go)
    output.on("drain", go)
  })

/** The output for errors, and how lines are read. */
export interface MessageLinesOptions {
  readonly sdk: Sdk
  /** Receives the answers to invalid lines. */
  readonly output: Writable
  /** The maximum length of a line. */
  readonly maxBytes: number
  readonly onError: ((error: Error) => void) | undefined
}

/** Receives the bytes of a client, and passes on the lines that are messages. */
export const messageLines = ({ sdk, output, maxBytes, onError }: MessageLinesOptions): Transform => {
  const lines = new LineSplitter(maxBytes)
  const take = async (stream: Transform, line: ReadLine): Promise<void> => {
    const fault = readFault(sdk, line)
    if (fault === undefined) stream.push(`${(line as { readonly text: string }).text}\n`)
    else if (fault.isAnswer)
      onError?.(new Error(`The client has sent an answer that is none. ${fault.error.message}`))
    // Stop reading from a client that does not read.
    else if (!output.write(`${JSON.stringify(errorMessage(fault.id, fault.error))}\n`)) await room(output)
  }
  const takeAll = async (stream: Transform, read: Iterable<ReadLine>): Promise<void> => {
    for (const line of read) await take(stream, line)
  }
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      takeAll(this, lines.add(chunk)).then(() => done(), done)
    },
    flush(done) {
      const last = lines.end()
      takeAll(this, last === undefined ? [] : [last]).then(() => done(), done)
    },
  })
}
