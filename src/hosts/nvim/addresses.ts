/** Addresses at which Neovim can listen, the likeliest first. */
import { execFile } from "node:child_process"
import { lstat } from "node:fs/promises"

export interface AddressOptions {
  /** The only address to try. */
  readonly socket: string | undefined
  readonly env: NodeJS.ProcessEnv
  /** Time limit for tmux to report the name of its session, in milliseconds. Default: 1000. */
  readonly tmuxTimeout?: number
}

/** The name of the tmux session that this process runs in. */
const tmuxSession = ({ env, tmuxTimeout = 1000 }: AddressOptions): Promise<string | undefined> => {
  if (!env.TMUX) return Promise.resolve(undefined)
  const target = env.TMUX_PANE ? ["-t", env.TMUX_PANE] : []
  const args = ["display-message", "-p", ...target, "#{session_name}"]
  return new Promise((resolve) => {
    execFile("tmux", args, { env, timeout: tmuxTimeout }, (error, stdout) =>
      resolve(error === null ? stdout.trimEnd() || undefined : undefined),
    )
  })
}

/** Whether a file is the user's own: anybody may create a file with a guessable name, and would receive the user's edits. */
const isOurs = async (path: string): Promise<boolean> => {
  const entry = await lstat(path).catch(() => undefined)
  return entry !== undefined && (process.geteuid === undefined || entry.uid === process.geteuid())
}

/**
 * Yields the option; without it `/tmp/nvim-<tmux session>.sock`, `$NVIM_LISTEN_ADDRESS`, and `$NVIM`, which Neovim sets in
 * its own terminals.
 */
export async function* nvimAddresses(options: AddressOptions): AsyncGenerator<string, void> {
  const { socket, env } = options
  if (socket !== undefined) {
    yield socket
    return
  }
  const session = await tmuxSession(options)
  if (session !== undefined) {
    const path = `/tmp/nvim-${session}.sock`
    if (await isOurs(path)) yield path
  }
  if (env.NVIM_LISTEN_ADDRESS) yield env.NVIM_LISTEN_ADDRESS
  if (env.NVIM) yield env.NVIM
}
