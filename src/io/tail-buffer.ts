/** The last bytes written, in a buffer of a fixed size. */
export class TailBuffer {
  /** The number of bytes overwritten by later ones. */
  droppedBytes = 0
  private readonly buffer: Buffer
  private length = 0
  /** Where the next byte goes. */
  private position = 0

  constructor(size: number) {
    this.buffer = Buffer.allocUnsafe(size)
  }

  write(bytes: Uint8Array): void {
    const { buffer } = this
    const kept = bytes.subarray(Math.max(0, bytes.length - buffer.length))
    const first = kept.subarray(0, buffer.length - this.position)
    buffer.set(first, this.position)
    buffer.set(kept.subarray(first.length), 0)
    this.position = (this.position + kept.length) % buffer.length
    this.droppedBytes += Math.max(0, this.length + bytes.length - buffer.length)
    this.length = Math.min(buffer.length, this.length + bytes.length)
  }

  read(): Buffer {
    const start = this.position - this.length
    if (start >= 0) return Buffer.from(this.buffer.subarray(start, this.position))
    return Buffer.concat([this.buffer.subarray(start), this.buffer.subarray(0, this.position)])
  }
}
