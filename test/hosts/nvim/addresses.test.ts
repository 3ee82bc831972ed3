// @module-tag waits
import { execFileSync } from "node:child_process"
import { randomUUID } from "node:crypto"
import { chown, rm, writeFile } from "node:fs/promises"
import { describe, expect, onTestFinished, test } from "vitest"
import { nvimAddresses } from "../../../src/hosts/nvim/addresses.ts"
import { needs } from "../../support/needs.ts"

const addressesOf = async (env: NodeJS.ProcessEnv, socket?: string): Promise<Array<string>> => {
  const found: Array<string> = []
  // A tmux that answers must not seem not to, however busy the machine is.
  const tmuxTimeout = 100_000
  for await (const address of nvimAddresses({ socket, env, tmuxTimeout })) found.push(address)
  return found
}

const variables = { NVIM_LISTEN_ADDRESS: "/run/listen.sock", NVIM: "/run/own.sock" }

/** The environment of a pane of a tmux session of its own, whose name is odd. */
const inTmux = (): { readonly env: NodeJS.ProcessEnv; readonly socket: string } => {
  const name = `step 'line' (ü) ${randomUUID()}`
  const server = `stepline-${randomUUID()}`
  const tmux = (...args: ReadonlyArray<string>): string =>
    execFileSync("tmux", ["-L", server, "-f", "/dev/null", ...args], { encoding: "utf8" }).trimEnd()
  tmux("new-session", "-d", "-s", name, "sleep 600")
  onTestFinished(() => void tmux("kill-server"))
  const [path, pid, session, pane] = tmux(
    "display-message",
    "-p",
    "#{socket_path},#{pid},#{session_id},#{pane_id}",
  ).split(",")
  return {
    env: {
      PATH: process.env.PATH,
      TMUX: `${path},${pid},${session!.slice(1)}`,
      TMUX_PANE: pane,
      ...variables,
    },
    socket: `/tmp/nvim-${name}.sock`,
  }
}

const make = async (path: string): Promise<void> => {
  await writeFile(path, "")
  onTestFinished(() => rm(path, { force: true }))
}

describe("where a Neovim may listen", () => {
  test("is where the option says, and nowhere else", async () => {
    expect(await addressesOf(variables, "/run/mine.sock")).toEqual(["/run/mine.sock"])
  })

  test("is where the variables say, that of a terminal of Neovim's last", async () => {
    expect(await addressesOf(variables)).toEqual(["/run/listen.sock", "/run/own.sock"])
    expect(await addressesOf({ NVIM_LISTEN_ADDRESS: "", NVIM: "" })).toEqual([])
    expect(await addressesOf({})).toEqual([])
  })

  test("is first of all the socket of the tmux session, whatever its name", async (context) => {
    needs(context, "tmux")
    const { env, socket } = inTmux()
    expect(await addressesOf(env)).toEqual(["/run/listen.sock", "/run/own.sock"])
    await make(socket)
    expect(await addressesOf(env)).toEqual([socket, "/run/listen.sock", "/run/own.sock"])
  })

  // Only root can give a file away.
  test.runIf(process.getuid?.() === 0)(
    "is not a socket of that name that another user has made",
    async (context) => {
      needs(context, "tmux")
      const { env, socket } = inTmux()
      await make(socket)
      expect(await addressesOf(env)).toContain(socket)
      await chown(socket, 65534, 65534)
      expect(await addressesOf(env)).toEqual(["/run/listen.sock", "/run/own.sock"])
    },
  )

  test("is where the variables say where tmux is gone or not installed", async () => {
    expect(await addressesOf({ ...variables, TMUX: "/run/none,1,0", PATH: process.env.PATH })).toEqual([
      "/run/listen.sock",
      "/run/own.sock",
    ])
    expect(await addressesOf({ ...variables, TMUX: "/run/none,1,0", PATH: "/nowhere" })).toHaveLength(2)
  })
})
