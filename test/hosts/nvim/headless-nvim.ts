/** Real Neovims for tests, and what is in them, asked over a connection of the test's own. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { connect } from "node:net"
import { PassThrough } from "node:stream"
import { NeovimClient } from "neovim"

export interface WindowState {
  readonly name: string
  readonly lines: ReadonlyArray<string>
  readonly diff: boolean
  /** Line and byte, both 1-based. */
  readonly cursor: readonly [line: number, byte: number]
  readonly isCurrent: boolean
  readonly readonly: boolean
  readonly modifiable: boolean
  readonly modified: boolean
  readonly buftype: string
  readonly syntax: string
}

/** What a person sees: how many tabs, and the windows of the current one from left to right. */
export interface ScreenState {
  readonly tabs: number
  readonly tab: number
  readonly mode: string
  readonly windows: ReadonlyArray<WindowState>
}

const screenLua = `
local windows = {}
for i, w in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
  local b = vim.api.nvim_win_get_buf(w)
  local cursor = vim.api.nvim_win_get_cursor(w)
  windows[i] = {
    name = vim.api.nvim_buf_get_name(b),
    lines = vim.api.nvim_buf_get_lines(b, 0, -1, false),
    diff = vim.wo[w].diff,
    cursor = { cursor[1], cursor[2] + 1 },
    isCurrent = w == vim.api.nvim_get_current_win(),
    readonly = vim.bo[b].readonly,
    modifiable = vim.bo[b].modifiable,
    modified = vim.bo[b].modified,
    buftype = vim.bo[b].buftype,
    syntax = vim.bo[b].syntax,
  }
end
return {
  tabs = vim.fn.tabpagenr("$"),
  tab = vim.fn.tabpagenr(),
  mode = vim.api.nvim_get_mode().mode,
  windows = windows,
}`

// The last key is one that nobody types, and tells that those before it are read.
const typeLua = `
local channel, keys = ...
local done = "<F37>"
for _, mode in ipairs({ "n", "i", "v", "c", "t" }) do
  vim.keymap.set(mode, done, function() vim.rpcnotify(channel, "typed") end)
end
vim.api.nvim_input(keys .. done)`

const watchLua = `
local channel, condition = ...
local function check()
  if not loadstring(condition)() then return false end
  vim.rpcnotify(channel, "holds")
  return true
end
if not check() then
  local watch
  watch = vim.api.nvim_create_autocmd("WinEnter", {
    callback = function()
      vim.schedule(function() if check() then pcall(vim.api.nvim_del_autocmd, watch) end end)
    end,
  })
end`

const silent = () => {}
const logger = { level: "error", info: silent, warn: silent, error: silent, debug: silent }

export class HeadlessNvim implements AsyncDisposable {
  /** Where it listens. */
  readonly address: string
  private readonly child: ChildProcess
  private readonly client: NeovimClient

  private constructor(address: string, child: ChildProcess, client: NeovimClient) {
    this.address = address
    this.child = child
    this.client = client
  }

  /** @param address The path of a socket, or `127.0.0.1:0`. */
  static async start(address: string, cwd: string): Promise<HeadlessNvim> {
    const ready = "lua io.stdout:write(vim.v.servername, '\\n') io.stdout:flush()"
    const child = spawn("nvim", ["--headless", "--clean", "--listen", address, "-c", ready], {
      cwd,
      stdio: ["ignore", "pipe", "ignore"],
    })
    const servername = await new Promise<string>((resolve, reject) => {
      child.once("error", reject)
      child.once("exit", (status) => reject(new Error(`nvim ended with ${status}`)))
      child.stdout!.once("data", (data) => resolve(String(data)))
    })
    const actual = servername.trim()
    const port = /^127\.0\.0\.1:(\d+)$/.exec(actual)
    const socket = port === null ? connect(actual) : connect(Number(port[1]), "127.0.0.1")
    socket.on("error", silent)
    await once(socket, "connect")
    const client = new NeovimClient({ logger: logger as unknown as NeovimClient["logger"] })
    // The client fails where nobody can catch it when what it reads does: a killed Neovim resets the connection.
    client.attach({ reader: socket.pipe(new PassThrough()), writer: socket })
    return new HeadlessNvim(actual, child, client)
  }

  /** What Lua returns. */
  async lua<Value>(code: string, ...args: ReadonlyArray<unknown>): Promise<Value> {
    return (await this.client.request("nvim_exec_lua", [code, args])) as Value
  }

  async command(command: string): Promise<void> {
    await this.client.request("nvim_command", [command])
  }

  screen(): Promise<ScreenState> {
    return this.lua(screenLua)
  }

  /** Opens a file in the current window, whatever its name. */
  async edit(path: string): Promise<void> {
    await this.lua("vim.api.nvim_win_set_buf(0, vim.fn.bufadd(...))", path)
  }

  /** Types keys. What is asked next is answered when they, and what they have scheduled, are done. */
  async type(keys: string): Promise<void> {
    const isTyped = this.notified("typed")
    await this.lua(typeLua, await this.channel, keys)
    await isTyped
    await this.lua("return 0")
  }

  /** Resolves when Lua returns true, now or after a window was entered. */
  async until(condition: string): Promise<void> {
    const holds = this.notified("holds")
    await this.lua(watchLua, await this.channel, condition)
    await holds
  }

  /** Resolves when Neovim calls `vim.rpcnotify` on the test's channel with this method. */
  notified(method: string): Promise<void> {
    return new Promise((resolve) => {
      const onNotification = (name: string) => {
        if (name !== method) return
        this.client.off("notification", onNotification)
        resolve()
      }
      this.client.on("notification", onNotification)
    })
  }

  /** The number of the test's channel, for `vim.rpcnotify`. */
  get channel(): Promise<number> {
    return this.client.channelId
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal)
  }

  /** Ends it, without asking, and waits for the end. */
  async quit(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return
    this.child.kill("SIGKILL")
    await once(this.child, "exit")
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.quit()
  }
}
