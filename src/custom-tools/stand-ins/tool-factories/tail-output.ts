/** A command's output, in bounded memory: its end to show and, if that is not all, everything in a file. */
import { StringDecoder } from "node:string_decoder"
import { removeSpillFile, SpillFile } from "../../../io/spill-file.ts"
import { tailOf } from "../../../text/truncation.ts"
import { currentCall } from "../../current-call.ts"
import { DEFAULT_MAX_BYTES, type TruncationResult, truncateTail } from "../truncation.ts"

/** More than is shown, so that the cut is never in the shown part. */
const keptBytes = 2 * DEFAULT_MAX_BYTES

export class TailOutput {
  /** Size of the whole last line, in bytes. */
  lastLineBytes = 0
  private readonly decoder = new StringDecoder("utf8")
  private readonly file = new SpillFile(DEFAULT_MAX_BYTES)
  private tail = ""
  private totalBytes = 0
  private totalLines = 1

  /** Returns a promise to await if the disk is behind. */
  write(bytes: Buffer): Promise<void> | undefined {
    this.push(this.decoder.write(bytes))
    return this.file.write(bytes)
  }

  /** Call it once, after the last write. */
  async end(): Promise<void> {
    this.push(this.decoder.end())
    if (!this.truncation().truncated) return
    await this.file.close()
    const { path } = this.file
    if (path !== undefined) currentCall.getStore()?.onShutdown?.(() => removeSpillFile(path))
  }

  /** Set once there is a file, which is complete when the output has ended. */
  get fullOutputPath(): string | undefined {
    return this.file.path
  }

  /** Whether the middle is missing from that file, because the output was too long. */
  get isFileCut(): boolean {
    return this.file.droppedBytes > 0
  }

  truncation(): TruncationResult {
    const { totalBytes, totalLines } = this
    return { ...truncateTail(this.tail), totalBytes, totalLines }
  }

  private push(text: string): void {
    const bytes = Buffer.byteLength(text)
    const lines = text.split("\n")
    this.totalBytes += bytes
    this.totalLines += lines.length - 1
    this.lastLineBytes = lines.length === 1 ? this.lastLineBytes + bytes : Buffer.byteLength(lines.at(-1)!)
    this.tail += text
    // Not at each write, because every cut copies the kept text.
    if (this.tail.length > 2 * keptBytes) this.tail = tailOf(this.tail, keptBytes)
  }
}
