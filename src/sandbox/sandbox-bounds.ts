/** The bounds for commands and file tools of a sandboxed machine, with every path absolute. */
import { realpath, stat } from "node:fs/promises"
import { resolve } from "node:path"
import { expandHome } from "../text/expand-home.ts"
import { secretPaths } from "./protected-paths.ts"
import { SandboxError } from "./sandbox-error.ts"

/** What commands in a sandbox can write, read and reach. */
export interface SandboxOptions {
  /** The base of relative paths. Default: the process's working directory. */
  readonly cwd?: string
  /** Writable folders, except for what would run outside of the sandbox later. Default: `cwd`. */
  readonly write?: ReadonlyArray<string>
  /** Paths that cannot be read. Default: the usual places of keys and credentials. */
  readonly denyRead?: ReadonlyArray<string>
  /** Paths inside `write` that cannot be written, in addition to those always protected. */
  readonly denyWrite?: ReadonlyArray<string>
  readonly network?: {
    /** Reachable domains; `*.example.com` for subdomains. Default: none. */
    readonly allow?: ReadonlyArray<string>
  }
}

export interface SandboxBounds {
  readonly write: ReadonlyArray<string>
  readonly denyRead: ReadonlyArray<string>
  readonly denyWrite: ReadonlyArray<string>
  readonly domains: ReadonlyArray<string>
}

const absolute = (path: string, cwd: string): string => resolve(cwd, expandHome(path))

const expectFolder = async (path: string): Promise<string> => {
  const real = await realpath(path).catch(() => undefined)
  if (real !== undefined && (await stat(real)).isDirectory()) {
    if (real !== "/") return real
    throw new SandboxError("There is no sandbox around all of /: name the folders that may be written.")
  }
  throw new SandboxError(`There is no sandbox: ${path}, which it should let be written, is no folder.`)
}

/** Resolves the options to bounds. Rejects with a SandboxError if a folder of `write` does not exist. */
export const boundsOf = async (options: SandboxOptions): Promise<SandboxBounds> => {
  const { cwd = process.cwd(), write = [cwd], denyRead = secretPaths, denyWrite = [], network = {} } = options
  return {
    write: await Promise.all(write.map((path) => expectFolder(absolute(path, cwd)))),
    denyRead: denyRead.map((path) => absolute(path, cwd)),
    denyWrite: denyWrite.map((path) => absolute(path, cwd)),
    domains: network.allow ?? [],
  }
}
