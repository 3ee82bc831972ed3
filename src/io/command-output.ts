/**
 * What a command printed, in bounded memory: both ends of each stream for the model and, if they are not everything, the
 * whole output in a file, in order, up to 256 MB.
 */
import { StringDecoder } from "node:string_decoder"
import { HeadAndTail, maxOutputBytes } from "../text/truncation.ts"
import type { OutputStream } from "./pipe-reader.ts"
import { SpillFile } from "./spill-file.ts"

/** What a command printed, truncated if it was long. */
export interface CapturedOutput {
  readonly stdout: string
  readonly stderr: string
  /** Set if the texts are truncated. */
  readonly truncated?: {
    readonly totalBytes: number
    /** The file with everything except `droppedBytes`, readable only by its owner. Not set if it could not be written. */
    readonly path?: string
    /** How many bytes are missing from the middle of the file. */
    readonly droppedBytes?: number
  }
}

class Capture {
  readonly decoder = new StringDecoder("utf8")
  readonly text: HeadAndTail

  constructor(limit: number) {
    this.text = new HeadAndTail(limit)
  }
}

/** Collects what a command prints. Output too long to be returned in full is written to a file. */
export class CommandOutput {
  private readonly limit: number
  private readonly streams: Record<OutputStream, Capture>
  private readonly file: SpillFile

  /**
   * `limit`: bytes of both streams up to which they are returned in full; default 50,000. `fileLimit`: bytes that the file
   * may hold; default 256 MB.
   */
  constructor(limit: number = maxOutputBytes, fileLimit?: number) {
    this.limit = limit
    this.streams = { stdout: new Capture(limit), stderr: new Capture(limit) }
    this.file = new SpillFile(limit, fileLimit)
  }

  /**
   * Keeps a chunk, and returns its text. A character split between two chunks is returned with the second; bytes that are
   * not UTF-8 become U+FFFD.
   */
  async write(stream: OutputStream, bytes: Uint8Array): Promise<string> {
    const capture = this.streams[stream]
    const text = capture.decoder.write(bytes as Buffer)
    capture.text.push(text)
    await this.file.write(bytes)
    return text
  }

  /** Returns the collected output. Call it once, after the last write. */
  async end(): Promise<CapturedOutput> {
    for (const { decoder, text } of Object.values(this.streams)) text.push(decoder.end())
    const stdout = this.streams.stdout.text
    const stderr = this.streams.stderr.text
    if (stdout.totalBytes + stderr.totalBytes <= this.limit) {
      return { stdout: stdout.render(this.limit), stderr: stderr.render(this.limit) }
    }
    await this.file.close()
    // Each stream gets half, and what the other one leaves.
    const half = Math.floor(this.limit / 2)
    const stderrBytes = Math.min(stderr.totalBytes, Math.max(half, this.limit - stdout.totalBytes))
    const { totalBytes, path, droppedBytes } = this.file
    return {
      stdout: stdout.render(this.limit - stderrBytes),
      stderr: stderr.render(stderrBytes),
      truncated: {
        totalBytes,
        ...(path !== undefined && { path }),
        ...(path !== undefined && droppedBytes > 0 && { droppedBytes }),
      },
    }
  }

  /** Removes the file, if its path will not be reported. */
  async discard(): Promise<void> {
    await this.file.remove()
  }
}
