/** What a sandboxed machine lets its commands and file tools do, with every path absolute. */
import { realpath, stat } from "node:fs/promises"
import { homedir } from "node:os"
import { join, resolve } from "node:path"
import { secretPaths } from "./protected-paths.ts"
import { SandboxError } from "./sandbox-error.ts"

/** What a sandbox lets commands write, read and reach. */
export interface SandboxOptions {
  /** Where relative paths start. Default: the process's working directory. */
  readonly cwd?: string
  /** Folders that may be written, but for what would run outside of the box later. Default: `cwd`. */
  readonly write?: ReadonlyArray<string>
  /** What may not be read, besides. Default: where keys and credentials usually are. */
  readonly denyRead?: ReadonlyArray<string>
  /** What may not be written inside of `write`, besides what is always protected. */
  readonly denyWrite?: ReadonlyArray<string>
  readonly network?: {
    /** Domains that may be reached, `*.example.com` for those below one. Default: none. */
    readonly allow?: ReadonlyArray<string>
  }
}

export interface SandboxBounds {
  readonly write: ReadonlyArray<string>
  readonly denyRead: ReadonlyArray<string>
  readonly denyWrite: ReadonlyArray<string>
  readonly domains: ReadonlyArray<string>
}

const absolute = (path: string, cwd: string): string =>
  path === "~" || path.startsWith("~/") ? join(homedir(), path.slice(1)) : resolve(cwd, path)

const expectFolder = async (path: string): Promise<string> => {
  const real = await realpath(path).catch(() => undefined)
  if (real !== undefined && (await stat(real)).isDirectory()) {
    if (real !== "/") return real
    throw new SandboxError("There is no sandbox around all of /: name the folders that may be written.")
  }
  throw new SandboxError(`There is no sandbox: ${path}, which it should let be written, is no folder.`)
}

/** Rejects with a SandboxError for a folder to write that is not there. */
export const boundsOf = async (options: SandboxOptions): Promise<SandboxBounds> => {
  const { cwd = process.cwd(), write = [cwd], denyRead = secretPaths, denyWrite = [], network = {} } = options
  return {
    write: await Promise.all(write.map((path) => expectFolder(absolute(path, cwd)))),
    denyRead: denyRead.map((path) => absolute(path, cwd)),
    denyWrite: denyWrite.map((path) => absolute(path, cwd)),
    domains: network.allow ?? [],
  }
}
