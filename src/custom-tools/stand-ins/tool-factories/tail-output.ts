/** What a command prints, in bounded memory: the end of it to show and, where that is not all, everything in a file. */
import { StringDecoder } from "node:string_decoder"
import { removeSpillFile, SpillFile } from "../../../io/spill-file.ts"
import { tailOf } from "../../../text/truncation.ts"
import { currentCall } from "../../current-call.ts"
import { DEFAULT_MAX_BYTES, type TruncationResult, truncateTail } from "../truncation.ts"

/** More than is shown, so that the cut never falls into the part that is. */
const keptBytes = 2 * DEFAULT_MAX_BYTES

export class TailOutput {
  /** In bytes, of the last line, all of it. */
  lastLineBytes = 0
  private readonly decoder = new StringDecoder("utf8")
  private readonly file = new SpillFile(DEFAULT_MAX_BYTES)
  private tail = ""
  private totalBytes = 0
  private totalLines = 1

  /** Gives a promise where the disk is behind. */
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

  /** Set once there is a file, which holds everything when the output has ended. */
  get fullOutputPath(): string | undefined {
    return this.file.path
  }

  /** Whether that file has all but a middle that was too long for it. */
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
    // Not at each write: every cut copies what is kept.
    if (this.tail.length > 2 * keptBytes) this.tail = tailOf(this.tail, keptBytes)
  }
}
