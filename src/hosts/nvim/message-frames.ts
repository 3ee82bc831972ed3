/**
 * Splits Neovim's output into messages of MessagePack-RPC, so that nothing else reaches the client, whose errors cannot be
 * caught. Values are only measured: the client decodes them.
 */

/** Longer than any message of a Neovim. */
const maxMessageBytes = 16 * 1024 * 1024
const maxDepth = 64

/** Thrown if the value is not complete yet. */
const incomplete = Symbol("incomplete")

class Measure {
  private readonly bytes: Buffer
  at = 0

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  /** Moves past a value. Throws for invalid bytes, and `incomplete`. */
  skip(depth = 0): void {
    if (depth > maxDepth) throw new Error("The message is nested too deeply")
    const tag = this.number(1)
    if (tag <= 0x7f || tag >= 0xe0 || tag === 0xc0 || tag === 0xc2 || tag === 0xc3) return
    if (tag <= 0x8f) return this.entries(tag & 0x0f, depth)
    if (tag <= 0x9f) return this.items(tag & 0x0f, depth)
    if (tag <= 0xbf) return this.take(tag & 0x1f)
    if (tag >= 0xc4 && tag <= 0xc6) return this.take(this.number(2 ** (tag - 0xc4)))
    if (tag >= 0xc7 && tag <= 0xc9) return this.extension(this.number(2 ** (tag - 0xc7)), depth)
    if (tag === 0xca || tag === 0xcb) return this.take(4 * (tag - 0xc9))
    if (tag >= 0xcc && tag <= 0xd3) return this.take(2 ** (tag & 0x03))
    if (tag >= 0xd4 && tag <= 0xd8) return this.extension(2 ** (tag - 0xd4), depth)
    if (tag >= 0xd9 && tag <= 0xdb) return this.take(this.number(2 ** (tag - 0xd9)))
    if (tag === 0xdc || tag === 0xdd) return this.items(this.number(2 * (tag - 0xdb)), depth)
    if (tag === 0xde || tag === 0xdf) return this.entries(this.number(2 * (tag - 0xdd)), depth)
    throw new Error("The message is no MessagePack")
  }

  private take(length: number): void {
    if (this.at + length > this.bytes.length) throw incomplete
    this.at += length
  }

  private number(length: number): number {
    this.take(length)
    return this.bytes.readUIntBE(this.at - length, length)
  }

  private items(count: number, depth: number): void {
    for (let item = 0; item < count; item++) this.skip(depth + 1)
  }

  private entries(count: number, depth: number): void {
    for (let entry = 0; entry < count; entry++) {
      this.key()
      this.skip(depth + 1)
    }
  }

  /** Moves past a key. Neovim's keys are strings; the client also accepts numbers, and fails with all others. */
  private key(): void {
    const { at } = this
    const tag = this.number(1)
    const isString = (tag >= 0xa0 && tag <= 0xbf) || (tag >= 0xd9 && tag <= 0xdb)
    if (!isString) throw new Error("The message has a key that is no string")
    this.at = at
    this.skip()
  }

  /** Handles of buffers, windows and tabs: a number in any encoding. */
  private extension(length: number, depth: number): void {
    if (this.number(1) > 2) throw new Error("The message has a handle that is none")
    const end = this.at + length
    if (end > this.bytes.length) throw incomplete
    this.skip(depth + 1)
    if (this.at !== end) throw new Error("The message has a handle that is none")
  }
}

/** The length of the first message; undefined if it is not complete. Throws for invalid bytes. */
const lengthOfMessage = (bytes: Buffer): number | undefined => {
  if (bytes.length === 0) return undefined
  if (bytes[0] !== 0x93 && bytes[0] !== 0x94) throw new Error("The message is none of MessagePack-RPC")
  const measure = new Measure(bytes)
  try {
    measure.skip()
    return measure.at
  } catch (error) {
    if (error !== incomplete) throw error
    if (bytes.length > maxMessageBytes) throw new Error("The message is too long")
    return undefined
  }
}

export class MessageFrames {
  private rest: Buffer = Buffer.alloc(0)

  /** Returns the messages that this chunk completes. Throws for invalid bytes. */
  push(chunk: Buffer): Array<Buffer> {
    this.rest = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk])
    const messages: Array<Buffer> = []
    for (let length = lengthOfMessage(this.rest); length !== undefined; length = lengthOfMessage(this.rest)) {
      messages.push(this.rest.subarray(0, length))
      this.rest = this.rest.subarray(length)
    }
    return messages
  }
}
