/**
 * A folder that is held open. What is done to the names in it is done in that very folder, also when its path has come to
 * lead elsewhere. Where a system has no paths below an open folder, its path is used, and looked at before and afterwards.
 */
import { type FileHandle, mkdir } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { asFolder, handlePath, openReal, placeOf, staleError } from "./open-real.ts"

export class RealFolder {
  /** Absolute, with every link resolved; as it was when the folder was opened. */
  readonly path: string
  private readonly handle: FileHandle
  private readonly place: string | undefined

  private constructor(path: string, handle: FileHandle) {
    this.path = path
    this.handle = handle
    this.place = placeOf(handle.fd)
  }

  /** Does the work in a folder. Rejects with `ESTALE` where there is a link on the way to it. */
  static async use<A>(path: string, work: (folder: RealFolder) => Promise<A>): Promise<A> {
    return RealFolder.during(await RealFolder.open(path), work)
  }

  /** The same, for a folder that is made, with those above, where there is none. */
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

  /** The path of a name in this folder; good while the folder is in use. */
  at(name: string): string {
    return join(this.root, name)
  }

  /** As people know it. */
  named(name: string): string {
    return join(this.path, name)
  }

  /** Rejects with `ESTALE` where the folder was moved. */
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

  /** Node's messages name the path that was used. */
  private withOwnPath(cause: unknown): unknown {
    if (this.place !== undefined && cause instanceof Error && cause.message.includes(this.root)) {
      cause.message = cause.message.replaceAll(this.root, this.path)
    }
    return cause
  }
}
