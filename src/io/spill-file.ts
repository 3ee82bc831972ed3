/**
 * Bytes kept in memory up to a limit; beyond it they go to a file that only its owner can read. The file has a limit too:
 * beyond it the middle is omitted, and replaced by a line that says so.
 */
import { randomUUID } from "node:crypto"
import { type FileHandle, open, rm } from "node:fs/promises"
import { join } from "node:path"
import { outputFolder } from "./output-folder.ts"
import { TailBuffer } from "./tail-buffer.ts"

/** Bytes that can wait for the disk before the command is paused. */
const maxHeldBytes = 1 << 20
/** Maximum size of a file, in bytes. */
const maxFileBytes = 256_000_000

/** Call it when the file's path is no longer needed. */
export const removeSpillFile = (path: string): Promise<void> => rm(path, { force: true })

/** Call `close` to keep the file, also below the limit, or `remove` if its path will not be reported. */
export class SpillFile {
  totalBytes = 0
  /** Undefined while there is no file, and if it could not be written. */
  path: string | undefined
  private readonly limit: number
  /** Size of the first part of the file, in bytes; a last part of at most the same size follows. */
  private readonly startBytes: number
  private readonly endBytes: number
  private held: Array<Uint8Array> = []
  private heldBytes = 0
  private end: TailBuffer | undefined
  private file: FileHandle | undefined
  private failed = false
  private flushing: Promise<void> | undefined

  /**
   * `limit`: bytes kept in memory; the first one beyond it starts the file. `fileLimit`: bytes that the file may hold,
   * without the line about omitted bytes; default 256 MB.
   */
  constructor(limit: number, fileLimit: number = maxFileBytes) {
    this.limit = limit
    this.endBytes = Math.min(maxHeldBytes, Math.floor(fileLimit / 2))
    this.startBytes = fileLimit - this.endBytes
  }

  /** How many bytes are missing from the middle of the file. */
  get droppedBytes(): number {
    return this.end?.droppedBytes ?? 0
  }

  /** Returns a promise to await if the disk is behind. */
  write(bytes: Uint8Array): Promise<void> | undefined {
    const room = this.startBytes - this.totalBytes
    this.totalBytes += bytes.length
    if (this.failed) return undefined
    if (room < bytes.length) {
      this.end ??= new TailBuffer(this.endBytes)
      this.end.write(bytes.subarray(Math.max(0, room)))
    }
    if (room <= 0) return undefined
    const first = bytes.subarray(0, room)
    this.held.push(first)
    this.heldBytes += first.length
    if (this.totalBytes <= this.limit) return undefined
    this.flushing ??= this.flush()
    return this.heldBytes > maxHeldBytes ? this.flushing : undefined
  }

  /** Writes the buffered bytes, and closes the file. */
  async close(): Promise<void> {
    await this.flushing
    if (this.droppedBytes > 0) this.held.push(Buffer.from(`\n[${this.droppedBytes} bytes left out]\n`))
    if (this.end !== undefined) this.held.push(this.end.read())
    await this.flush()
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

  /** Appends to the file. A full disk loses the file, not the command. */
  private async append(bytes: Uint8Array): Promise<void> {
    if (this.failed) return
    try {
      if (this.file === undefined) {
        const path = join(await outputFolder(), `${randomUUID()}.log`)
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
