/**
 * A folder that is held open. Operations on its entries act on that exact folder, even if its path leads elsewhere
 * meanwhile. If a system has no paths below an open folder, the plain path is used, and checked before and afterwards.
 */
import { type FileHandle, mkdir } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { asFolder, handlePath, openReal, placeOf, staleError } from "./open-real.ts"

export class RealFolder {
  /** Absolute, with every link resolved, at the time of opening. */
  readonly path: string
  private readonly handle: FileHandle
  private readonly place: string | undefined

  private constructor(path: string, handle: FileHandle) {
    this.path = path
    this.handle = handle
    this.place = placeOf(handle.fd)
  }

  /** Runs `work` in a folder. Rejects with `ESTALE` if its path contains a link. */
  static async use<A>(path: string, work: (folder: RealFolder) => Promise<A>): Promise<A> {
    return RealFolder.during(await RealFolder.open(path), work)
  }

  /** Like `use`, but first creates missing folders. */
  static async make<A>(path: string, work: (folder: RealFolder) => Promise<A>): Promise<A> {
    return RealFolder.during(await RealFolder.opened(path), work)
  }

  private static async open(path: string): Promise<RealFolder> {
    return new RealFolder(path, await openReal(path, asFolder))
  }

  private static async opened(path: string): Promise<RealFolder> {
    try {
      return await RealFolder.open(path)
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== "ENOENT" || dirname(path) === path) throw cause
    }
    await RealFolder.make(dirname(path), async (above) => {
      await above.expectInPlace()
      await mkdir(above.at(basename(path))).catch((cause: NodeJS.ErrnoException) => {
        if (cause.code !== "EEXIST") throw cause
      })
    })
    return RealFolder.open(path)
  }

  private static async during<A>(folder: RealFolder, work: (folder: RealFolder) => Promise<A>): Promise<A> {
    try {
      const result = await work(folder)
      if (folder.place === undefined) await folder.expectInPlace()
      return result
    } catch (cause) {
      throw folder.withOwnPath(cause)
    } finally {
      await folder.handle.close()
    }
  }

  /** The path of an entry, valid while the folder is in use. */
  at(name: string): string {
    return join(this.root, name)
  }

  /** The path of an entry, for messages. */
  named(name: string): string {
    return join(this.path, name)
  }

  /** Rejects with `ESTALE` if the folder was moved. */
  async expectInPlace(): Promise<void> {
    if (this.place === undefined) {
      const again = await openReal(this.path, asFolder)
      try {
        const [one, two] = [await again.stat({ bigint: true }), await this.handle.stat({ bigint: true })]
        if (one.ino !== two.ino || one.dev !== two.dev) throw staleError(this.path)
      } finally {
        await again.close()
      }
    } else if (placeOf(this.handle.fd) !== this.place) throw staleError(this.path)
  }

  private get root(): string {
    return this.place === undefined ? this.path : handlePath(this.handle.fd)
  }

  /** Replaces the internal path in Node's messages. */
  private withOwnPath(cause: unknown): unknown {
    if (this.place !== undefined && cause instanceof Error && cause.message.includes(this.root)) {
      cause.message = cause.message.replaceAll(this.root, this.path)
    }
    return cause
  }
}
