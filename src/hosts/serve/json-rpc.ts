/** JSON-RPC 2.0: reads the lines of an untrusted client, and makes the responses. */
import { got } from "../../model/got.ts"
import { isPlainObject } from "../../schema/plain-object.ts"

/** Error codes: those of JSON-RPC, and `notInitialized` as in the Language Server Protocol. */
export const codes = {
  parse: -32700,
  invalidRequest: -32600,
  unknownMethod: -32601,
  invalidParams: -32602,
  internal: -32603,
  refused: -32000,
  notInitialized: -32002,
} as const

/** An error that is sent to the client. */
export class RpcError extends Error {
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

export type RpcId = string | number | null

export interface RpcRequest {
  /** Undefined for a notification, which gets no answer. */
  readonly id: RpcId | undefined
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

/** An invalid request, with its id if that can be read. */
export interface RpcFault {
  readonly id: RpcId
  readonly fault: RpcError
}

const isId = (id: unknown): id is RpcId => typeof id === "string" || typeof id === "number" || id === null

const faulty = (id: unknown, code: number, message: string): RpcFault => ({
  id: isId(id) ? id : null,
  fault: new RpcError(code, message),
})

/** Reads a line. Never throws. */
export const readRequest = (line: string): RpcRequest | RpcFault => {
  let message: unknown
  try {
    message = JSON.parse(line)
  } catch (error) {
    return faulty(
      null,
      codes.parse,
      `The line is no JSON: ${(error as Error).message}. Send a message a line.`,
    )
  }
  if (Array.isArray(message)) {
    return faulty(null, codes.invalidRequest, "Batches are not supported: send a message a line.")
  }
  if (!isPlainObject(message)) {
    return faulty(null, codes.invalidRequest, `Expected a request, an object, ${got(message)}.`)
  }
  const { id, jsonrpc, method, params = {} } = message
  if (jsonrpc !== "2.0")
    return faulty(id, codes.invalidRequest, `Expected \`jsonrpc\` to be "2.0", ${got(jsonrpc)}.`)
  if (id !== undefined && !isId(id))
    return faulty(null, codes.invalidRequest, `Expected \`id\` to be a string or a number, ${got(id)}.`)
  if (typeof method !== "string")
    return faulty(id, codes.invalidRequest, `Expected \`method\` to be a string, ${got(method)}.`)
  if (!isPlainObject(params))
    return faulty(id, codes.invalidParams, `Expected \`params\` of \`${method}\` to be an object, by name.`)
  return { id, method, params }
}

/** The answer to a request that succeeded. */
export const resultMessage = (id: RpcId, result: unknown): object => ({ jsonrpc: "2.0", id, result })

/** The answer to a request that failed. */
export const errorMessage = (id: RpcId, { code, message, data }: RpcError): object => ({
  jsonrpc: "2.0",
  id,
  error: data === undefined ? { code, message } : { code, message, data },
})
