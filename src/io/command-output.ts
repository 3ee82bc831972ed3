/**
 * What a command printed, in bounded memory: both ends of each stream for the model and, where that is not all,
 * everything as it came in a file of the temp folder.
 */
import { randomUUID } from "node:crypto"
import { type FileHandle, open, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { StringDecoder } from "node:string_decoder"
import type { OutputStream } from "./pipe-reader.ts"
import { HeadAndTail, maxOutputBytes } from "./truncation.ts"

export interface CapturedOutput {
  readonly stdout: string
  readonly stderr: string
  /** Set where the texts are not all that was printed. */
  readonly truncated?: {
    readonly totalBytes: number
    /** Holds everything, mode 0600. Not set where it could not be written. */
    readonly path?: string
  }
}

/** Bytes that may wait for the disk before the command has to. */
const maxHeldBytes = 1 << 20

/** Bytes kept in memory up to a limit; from then on they go to a file. */
class SpillFile {
  totalBytes = 0
  path: string | undefined
  private readonly limit: number
  private held: Array<Uint8Array> = []
  private heldBytes = 0
  private file: FileHandle | undefined
  private failed = false
  private flushing: Promise<void> | undefined

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

class Capture {
  readonly decoder = new StringDecoder("utf8")
  readonly text: HeadAndTail

  constructor(limit: number) {
    this.text = new HeadAndTail(limit)
  }
}

export class CommandOutput {
  private readonly limit: number
  private readonly streams: Record<OutputStream, Capture>
  private readonly file: SpillFile

  /** `limit`: bytes of both streams that are still given in full; default 50,000. */
  constructor(limit: number = maxOutputBytes) {
    this.limit = limit
    this.streams = { stdout: new Capture(limit), stderr: new Capture(limit) }
    this.file = new SpillFile(limit)
  }

  /**
   * Keeps what came, and gives its text. A character that is cut by the border of two chunks comes with the second;
   * bytes that are no UTF-8 become U+FFFD.
   */
  async write(stream: OutputStream, bytes: Uint8Array): Promise<string> {
    const capture = this.streams[stream]
    const text = capture.decoder.write(bytes as Buffer)
    capture.text.push(text)
    await this.file.write(bytes)
    return text
  }

  /** Call it once, after the last write. */
  async end(): Promise<CapturedOutput> {
    for (const { decoder, text } of Object.values(this.streams)) text.push(decoder.end())
    const stdout = this.streams.stdout.text
    const stderr = this.streams.stderr.text
    if (stdout.totalBytes + stderr.totalBytes <= this.limit) {
      return { stdout: stdout.render(this.limit), stderr: stderr.render(this.limit) }
    }
    await this.file.close()
    // Each stream may have half, and what the other one leaves.
    const half = Math.floor(this.limit / 2)
    const stderrBytes = Math.min(stderr.totalBytes, Math.max(half, this.limit - stdout.totalBytes))
    const { totalBytes, path } = this.file
    return {
      stdout: stdout.render(this.limit - stderrBytes),
      stderr: stderr.render(stderrBytes),
      truncated: path === undefined ? { totalBytes } : { totalBytes, path },
    }
  }

  /** Removes the file, where nobody will be told of it. */
  async discard(): Promise<void> {
    await this.file.remove()
  }
}
