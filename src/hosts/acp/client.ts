/** The parts of the SDK's connection that are used, as types that do not need the SDK. */

/** The client of a session: `connection.client` of the SDK, or the `client` of a request's context. */
export interface AcpClient {
  request(method: string, params?: unknown, options?: AcpRequestOptions): Promise<unknown>
  notify(method: string, params?: unknown): Promise<void>
}

/** The used options of the SDK's requests. */
export interface AcpRequestOptions {
  readonly cancellationSignal?: AbortSignal
  readonly stopWaitingOnCancel?: boolean
}

/** A session of a client, and what the client can do. */
export interface AcpSession {
  readonly client: AcpClient
  readonly sessionId: string
  /** What the client declared with `initialize`. */
  readonly capabilities: AcpCapabilities
}

/** The used part of ACP's `ClientCapabilities`. */
export interface AcpCapabilities {
  readonly fs?: { readonly readTextFile?: boolean; readonly writeTextFile?: boolean }
  readonly terminal?: boolean
  readonly elicitation?: { readonly form?: object | null } | null
}
