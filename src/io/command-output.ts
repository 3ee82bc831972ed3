/**
 * What a command printed, in bounded memory: both ends of each stream for the model and, where that is not all,
 * everything as it came in a file, up to 256 MB.
 */
import { StringDecoder } from "node:string_decoder"
import { HeadAndTail, maxOutputBytes } from "../text/truncation.ts"
import type { OutputStream } from "./pipe-reader.ts"
import { SpillFile } from "./spill-file.ts"

/** What a command printed, cut where it was long. */
export interface CapturedOutput {
  readonly stdout: string
  readonly stderr: string
  /** Set where the texts are not all that was printed. */
  readonly truncated?: {
    readonly totalBytes: number
    /** Holds everything but `droppedBytes`, for its owner alone. Not set where it could not be written. */
    readonly path?: string
    /** How much of the middle the file lacks. */
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

/** Takes what a command prints. What is too long to give in full goes to a file. */
export class CommandOutput {
  private readonly limit: number
  private readonly streams: Record<OutputStream, Capture>
  private readonly file: SpillFile

  /**
   * `limit`: bytes of both streams that are still given in full; default 50,000. `fileLimit`: bytes that its file may
   * hold; default 256 MB.
   */
  constructor(limit: number = maxOutputBytes, fileLimit?: number) {
    this.limit = limit
    this.streams = { stdout: new Capture(limit), stderr: new Capture(limit) }
    this.file = new SpillFile(limit, fileLimit)
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

  /** Removes the file, where nobody will be told of it. */
  async discard(): Promise<void> {
    await this.file.remove()
  }
}
