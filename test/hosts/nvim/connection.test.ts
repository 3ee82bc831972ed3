// @module-tag waits
import { mkdir, rm, writeFile } from "node:fs/promises"
import { createServer, type Server } from "node:net"
import { join } from "node:path"
import { expect, onTestFinished, test, vi } from "vitest"
import { NvimConnection } from "../../../src/hosts/nvim/connection.ts"
import { runNode } from "../../cli/built-cli.ts"
import { deferred } from "../../support/deferred.ts"
import { describeWith } from "../../support/needs.ts"
import { compileScript } from "../../support/run-script.ts"
import { callOf } from "./call-of.ts"
import { hostOf, nvimAt, openEditor, temporaryFolder } from "./editor.ts"
import type { HeadlessNvim } from "./headless-nvim.ts"

const check = (path: string) => ({ _tag: "IdeCheckUnsavedEdits", path }) as const

const listening = async (server: Server, path: string): Promise<void> => {
  await new Promise<void>((resolve) => server.listen(path, resolve))
  onTestFinished(() => void server.close())
}

/** Keeps Neovim from everything else until the file is there. Comes back when that has begun. */
const occupy = async (nvim: HeadlessNvim, path: string): Promise<void> => {
  const isBusy = nvim.notified("busy")
  nvim
    .lua(
      `local channel, path = ...
       vim.rpcnotify(channel, "busy")
       repeat vim.loop.sleep(2) until vim.loop.fs_stat(path)`,
      await nvim.channel,
      path,
    )
    .catch(() => {})
  await isBusy
}

const preview = { _tag: "IdeShowPreview", preview: { path: "/new.txt", content: "new" } } as const

describeWith("nvim")("a connection", () => {
  test("is made by TCP too", async () => {
    const folder = await temporaryFolder()
    const nvim = await nvimAt("127.0.0.1:0", folder)
    const host = hostOf(nvim.address)
    expect(await host.connect()).toBe(nvim.address)
    await host.delegates.IdeOpen({ _tag: "IdeOpen", path: join(folder, "a.txt") }, callOf())
    expect((await nvim.screen()).windows[0]!.name).toBe(join(folder, "a.txt"))
  })

  test("that is idle does not keep its program alive", async () => {
    const folder = await temporaryFolder()
    const nvim = await nvimAt(join(folder, "nvim.sock"), folder)
    const script = await compileScript("test/hosts/nvim/idle-host.ts")
    const result = await runNode([script, nvim.address])
    expect(result).toEqual({ status: 0, stdout: `connected to ${nvim.address}`, stderr: "" })
  })

  test("leaves the console alone", async () => {
    const { host } = await openEditor()
    const { log, error } = console
    await host.connect()
    await host.delegates.IdeOpen({ _tag: "IdeOpen", path: "/" }, callOf())
    expect([console.log, console.error]).toEqual([log, error])
  })

  test("without the client's package says what to install", async () => {
    const { nvim } = await openEditor()
    const options = { timeout: 25_000, onNotification: () => {} }
    const missing = Object.assign(new Error("Cannot find package 'neovim'"), { code: "ERR_MODULE_NOT_FOUND" })
    await expect(NvimConnection.open(nvim.address, options, () => Promise.reject(missing))).rejects.toThrow(
      "The package neovim is not installed. Install it: npm install neovim@5",
    )
  })
})

describeWith("nvim")("a Neovim that exits", () => {
  test("in the middle of a request leaves the effect with nothing", async () => {
    const { nvim, host, folder } = await openEditor()
    await host.connect()
    await occupy(nvim, join(folder, "never"))
    const checked = host.delegates.IdeCheckUnsavedEdits(check("/a"), callOf())
    const shown = host.delegates.IdeShowPreview(preview, callOf("2"))
    await nvim.quit()
    expect(await checked).toBeUndefined()
    expect(await shown).toBeUndefined()
  })

  test("takes its previews with it, and effects find the next one at the same place", async () => {
    const { nvim, host, folder } = await openEditor()
    await host.delegates.IdeShowPreview(preview, callOf("1", "one"))
    const waiting = host.delegates.IdeShowPreview(preview, callOf("2", "two"))
    await nvim.quit()
    await waiting
    expect(await host.connect()).toBeUndefined()
    expect(await host.delegates.IdeCheckUnsavedEdits(check("/a"), callOf())).toBeUndefined()
    await rm(nvim.address)
    const next = await nvimAt(nvim.address, folder)
    await host.delegates.IdeShowPreview(preview, callOf("3", "one"))
    expect((await next.screen()).tabs).toBe(2)
  })
})

describeWith("nvim")("a Neovim that does not answer", () => {
  const requestTimeout = 500
  const sentence = (address: string): string =>
    `Neovim at ${address} did not answer within 500 ms. It may be suspended or wait for a key: bring it back, or quit it, and try again.`

  /** From here on, time passes only in `expectNoAnswer`: nothing is late because the machine is busy. */
  const stopTime = (): void => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    onTestFinished(() => {
      vi.useRealTimers()
    })
  }

  /** @param asked What runs out of time once that has been sent. */
  const expectNoAnswer = async (effect: Promise<unknown>, address: string, asked?: Promise<void>) => {
    const failed = expect(effect).rejects.toThrow(sentence(address))
    await asked
    await vi.advanceTimersByTimeAsync(requestTimeout)
    await failed
  }

  test("fails effects with a sentence, and is asked nothing more until it answers", async () => {
    stopTime()
    const { nvim, host, folder, file } = await openEditor({ requestTimeout })
    const path = await file("a.txt", "a\n")
    await host.delegates.IdeShowPreview(preview, callOf())
    await occupy(nvim, join(folder, "go"))
    await expectNoAnswer(host.delegates.IdeCheckUnsavedEdits(check(path), callOf()), nvim.address)
    const refused = host.delegates.IdeOpen({ _tag: "IdeOpen", path }, callOf())
    await expect(refused).rejects.toThrow(sentence(nvim.address))
    await writeFile(join(folder, "go"), "")
    await nvim.lua("return 0")
    // It is asked to close a preview even then, and answers in order.
    await host.delegates.IdeClosePreview({ _tag: "IdeClosePreview" }, callOf())
    expect(await host.delegates.IdeCheckUnsavedEdits(check(path), callOf())).toBeUndefined()
    // What was refused meanwhile does not come late.
    expect((await nvim.screen()).windows[0]!.name).toBe("")
  })

  test("shows no preview late that nobody waits for", async () => {
    stopTime()
    const { nvim, host, folder } = await openEditor({ requestTimeout })
    await host.connect()
    await occupy(nvim, join(folder, "go"))
    await expectNoAnswer(host.delegates.IdeShowPreview(preview, callOf()), nvim.address)
    await writeFile(join(folder, "go"), "")
    await host.delegates.IdeClosePreview({ _tag: "IdeClosePreview" }, callOf())
    await nvim.lua("return 0")
    expect((await nvim.screen()).tabs).toBe(1)
  })

  test("and never says that it is one fails effects too", async () => {
    stopTime()
    const folder = await temporaryFolder()
    const path = join(folder, "silent.sock")
    const asked = deferred()
    await listening(
      createServer((socket) => {
        socket.once("data", () => asked.resolve())
        onTestFinished(() => void socket.destroy())
      }),
      path,
    )
    const host = hostOf(path, { requestTimeout })
    await expectNoAnswer(host.delegates.IdeShowPreview(preview, callOf()), path, asked.promise)
  })
})

describeWith("nvim")("without an editor every effect succeeds with nothing", () => {
  const everyEffect = async (socket: string, path: string): Promise<Array<unknown>> => {
    const { delegates } = hostOf(socket)
    const edits = [{ old_string: "a", new_string: "b" }]
    return [
      await delegates.IdeCheckUnsavedEdits(check(path), callOf()),
      await delegates.IdeShowDiffPreview({ _tag: "IdeShowDiffPreview", path, edits }, callOf()),
      await delegates.IdeShowPreview(preview, callOf()),
      await delegates.IdeOpen({ _tag: "IdeOpen", path }, callOf()),
      await delegates.IdeReloadBuffer({ _tag: "IdeReloadBuffer", path }, callOf()),
      await delegates.IdeClosePreview({ _tag: "IdeClosePreview" }, callOf()),
    ]
  }
  const nothing = Array(6).fill(undefined)

  test.each([
    ["no such file", "missing.sock"],
    ["no such folder", "missing/nvim.sock"],
    ["an ordinary file", "file"],
    ["a folder", "folder"],
    ["the file of a socket that nobody listens on any more", "stale.sock"],
    ["a name that is too long for a socket", "x".repeat(200)],
    ["a name that no file can have", "\0"],
  ])("%s", async (_kind, name) => {
    const folder = await temporaryFolder()
    await writeFile(join(folder, "file"), "a")
    await mkdir(join(folder, "folder"))
    await (await nvimAt(join(folder, "stale.sock"), folder)).quit()
    expect(await everyEffect(join(folder, name), join(folder, "file"))).toEqual(nothing)
  })

  test("a port that is closed, and no socket at all", async () => {
    expect(await everyEffect("127.0.0.1:1", "/a")).toEqual(nothing)
    expect(await everyEffect("", "/a")).toEqual(nothing)
  })

  test.each([
    ["speaks HTTP", "HTTP/1.1 400 Bad Request\r\n\r\n"],
    ["answers what nobody has asked", Buffer.from([0x94, 1, 0xcd, 9, 9, 0xc0, 0xc0])],
    ["notifies of nothing", Buffer.from([0x93, 2, 0xc0, 0xc0])],
    ["begins like one", Buffer.from([0x93, 0xc1, 0xc1, 0xc1, 0xff, 0xff])],
  ])("a server that is no Neovim, and %s", async (_, bytes) => {
    const folder = await temporaryFolder()
    const path = join(folder, "other.sock")
    await listening(
      createServer((socket) => {
        socket.on("error", () => {}).write(bytes)
        onTestFinished(() => void socket.destroy())
      }),
      path,
    )
    expect(await everyEffect(path, join(folder, "a"))).toEqual(nothing)
  })
})
