/** The client at the other end: what is used of the SDK's connection, so that its types stand without the SDK. */

/** The client of a session: `connection.client` of the SDK, or the `client` of a request's context. */
export interface AcpClient {
  request(method: string, params?: unknown, options?: AcpRequestOptions): Promise<unknown>
  notify(method: string, params?: unknown): Promise<void>
}

/** Of the SDK's options of a request those that are used. */
export interface AcpRequestOptions {
  readonly cancellationSignal?: AbortSignal
  readonly stopWaitingOnCancel?: boolean
}

/** One session of a client, and what that client can do. */
export interface AcpSession {
  readonly client: AcpClient
  readonly sessionId: string
  /** What the client declared with `initialize`. */
  readonly capabilities: AcpCapabilities
}

/** The part of ACP's `ClientCapabilities` that is looked at. */
export interface AcpCapabilities {
  readonly fs?: { readonly readTextFile?: boolean; readonly writeTextFile?: boolean }
  readonly terminal?: boolean
}
