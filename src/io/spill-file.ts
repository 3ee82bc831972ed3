/** Bytes kept in memory up to a limit; from then on they go to a file of the temp folder, mode 0600. */
import { randomUUID } from "node:crypto"
import { type FileHandle, open, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Bytes that may wait for the disk before the command has to. */
const maxHeldBytes = 1 << 20

/** Call `close` where the file is wanted, also below the limit, and `remove` where nobody will be told of it. */
export class SpillFile {
  totalBytes = 0
  /** Undefined while there is no file, and where it could not be written. */
  path: string | undefined
  private readonly limit: number
  private held: Array<Uint8Array> = []
  private heldBytes = 0
  private file: FileHandle | undefined
  private failed = false
  private flushing: Promise<void> | undefined

  /** `limit`: bytes that stay in memory; the first one past it starts the file. */
  constructor(limit: number) {
    this.limit = limit
  }

  /** Gives a promise where the disk is behind. */
  write(bytes: Uint8Array): Promise<void> | undefined {
    this.totalBytes += bytes.length
    if (this.failed) return undefined
    this.held.push(bytes)
    this.heldBytes += bytes.length
    if (this.totalBytes <= this.limit) return undefined
    this.flushing ??= this.flush()
    return this.heldBytes > maxHeldBytes ? this.flushing : undefined
  }

  /** Writes what is still held, and closes. */
  async close(): Promise<void> {
    this.flushing ??= this.flush()
    await this.flushing
    const { file } = this
    this.file = undefined
    await file?.close()
  }

  async remove(): Promise<void> {
    this.failed = true
    await this.flushing
    await this.file?.close()
    if (this.path !== undefined) await rm(this.path, { force: true })
  }

  private async flush(): Promise<void> {
    while (this.held.length > 0) {
      const bytes = Buffer.concat(this.held)
      this.held = []
      this.heldBytes = 0
      await this.append(bytes)
    }
    this.flushing = undefined
  }

  /** A full disk costs the file, not the command. */
  private async append(bytes: Uint8Array): Promise<void> {
    if (this.failed) return
    try {
      if (this.file === undefined) {
        const path = join(tmpdir(), `stepline-${randomUUID()}.log`)
        this.file = await open(path, "wx", 0o600)
        this.path = path
      }
      await this.file.appendFile(bytes)
    } catch {
      this.failed = true
      if (this.path !== undefined) await rm(this.path, { force: true }).catch(() => {})
      this.path = undefined
    }
  }
}
