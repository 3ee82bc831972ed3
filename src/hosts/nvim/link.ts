/** The link to a Neovim, which is searched when it is first needed, and again after it has exited. */
import { nvimAddresses } from "./addresses.ts"
import { ConnectionClosed, type ExecuteOptions, NvimConnection } from "./connection.ts"

export interface NvimLinkOptions {
  readonly socket: string | undefined
  readonly env: NodeJS.ProcessEnv
  /** In milliseconds. */
  readonly timeout: number
  readonly onNotification: (method: string, args: ReadonlyArray<unknown>) => void
  /** Called when a Neovim has exited. */
  readonly onGone: () => void
}

export class NvimLink {
  private readonly options: NvimLinkOptions
  private connection: NvimConnection | undefined
  private searching: Promise<NvimConnection | undefined> | undefined
  private isClosed = false

  constructor(options: NvimLinkOptions) {
    this.options = options
  }

  /** Resolves with undefined if there is no Neovim, or the link is closed. Rejects if the client is not installed. */
  async connect(): Promise<NvimConnection | undefined> {
    if (this.isClosed) return undefined
    if (this.connection?.isOpen) return this.connection
    this.searching ??= this.search().finally(() => {
      this.searching = undefined
    })
    return this.searching
  }

  /**
   * Runs Lua. Resolves with undefined if there is no Neovim, or it exits before it answers; with null if the code returns
   * nothing.
   */
  async execute(lua: string, args: ReadonlyArray<unknown>, options?: ExecuteOptions): Promise<unknown> {
    const connection = await this.connect()
    if (connection === undefined) return undefined
    try {
      return await connection.execute(lua, args, options)
    } catch (error) {
      if (error instanceof ConnectionClosed) return undefined
      throw error
    }
  }

  async close(): Promise<void> {
    this.isClosed = true
    await this.searching?.catch(() => {})
    this.connection?.close()
    await this.connection?.closed
  }

  private async search(): Promise<NvimConnection | undefined> {
    for await (const address of nvimAddresses(this.options)) {
      const connection = await NvimConnection.open(address, this.options)
      if (connection === undefined) continue
      this.connection = connection
      void connection.closed.then(this.options.onGone)
      return connection
    }
    return undefined
  }
}
