/** The editor of `--nvim`. */
import { NvimHost } from "../hosts/nvim/nvim-host.ts"
import { messageOf } from "../text/message-of.ts"
import { UsageError } from "./usage-error.ts"

/** The socket; true for the usual places. */
export type NvimSocket = string | true

export interface NvimStatus {
  readonly isThere: boolean
  /** The message for the user. */
  readonly sentence: string
}

export class NvimEditor {
  readonly host: NvimHost
  private readonly socket: NvimSocket

  constructor(socket: NvimSocket) {
    this.socket = socket
    this.host = new NvimHost(socket === true ? {} : { socket })
  }

  /** Rejects with a UsageError if the Neovim client package is not installed. */
  async status(): Promise<NvimStatus> {
    const address = await this.host.connect().catch((error: unknown) => {
      throw new UsageError(`--nvim: ${messageOf(error)}`)
    })
    if (address !== undefined) {
      return { isThere: true, sentence: `Neovim at ${address} shows what is about to change.` }
    }
    const places =
      this.socket === true ? "/tmp/nvim-<tmux session>.sock, $NVIM_LISTEN_ADDRESS or $NVIM" : this.socket
    return {
      isThere: false,
      sentence: `No Neovim answers at ${places}. Start one with nvim --listen SOCKET; until then nothing is shown in it.`,
    }
  }
}
