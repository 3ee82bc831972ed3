/** A Neovim in a folder of its own, and a host of it; both end with the test. */
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { NvimHost, type NvimHostOptions } from "../../../src/hosts/nvim/index.ts"
import { HeadlessNvim } from "./headless-nvim.ts"

export interface Editor {
  readonly nvim: HeadlessNvim
  readonly host: NvimHost
  readonly folder: string
  /** Writes a file in the folder and gives its path. */
  file(name: string, text: string): Promise<string>
}

export const temporaryFolder = async (): Promise<string> => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "stepline-nvim-")))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

export const hostOf = (socket: string, options: NvimHostOptions = {}): NvimHost => {
  // A Neovim that answers must not seem not to, however busy the machine is.
  const host = new NvimHost({ socket, requestTimeout: "25 seconds", ...options })
  onTestFinished(() => host.close())
  return host
}

export const nvimAt = async (address: string, cwd: string): Promise<HeadlessNvim> => {
  const nvim = await HeadlessNvim.start(address, cwd)
  onTestFinished(() => nvim.quit())
  return nvim
}

export const openEditor = async (options: NvimHostOptions = {}): Promise<Editor> => {
  const folder = await temporaryFolder()
  const nvim = await nvimAt(join(folder, "nvim.sock"), folder)
  const host = hostOf(nvim.address, options)
  const file = async (name: string, text: string) => {
    const path = join(folder, name)
    await writeFile(path, text)
    return path
  }
  return { nvim, host, folder, file }
}
