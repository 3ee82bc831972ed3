/**
 * Reads files that nobody has approved, such as those of a folder that a command is called in: a pipe or a device in place
 * of a file cannot block the process, and no file can fill the memory.
 */
import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from "node:fs"

/** The limit for files that people write: a larger file is not one of these. */
const maxFileBytes = 10_000_000

/** Opens a pipe without waiting for a writer. */
const unwaiting = constants.O_NONBLOCK ?? 0

/** Flags for `open`. */
export const appending = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | unwaiting

const failure = (code: string, what: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`${code}: ${what}`), { code })

const tooLarge = (path: string, maxBytes: number): NodeJS.ErrnoException =>
  failure("EFBIG", `${path} has more than ${maxBytes} bytes`)

/** Throws for anything but a regular file, and for one that is too large. */
export const expectRegular = (path: string, info: Stats, maxBytes = maxFileBytes): void => {
  if (info.isDirectory()) throw failure("EISDIR", `${path} is a folder`)
  if (!info.isFile()) throw failure("EFTYPE", `${path} is not a regular file`)
  if (info.size > maxBytes) throw tooLarge(path, maxBytes)
}

/** One byte more than the file's size, to detect a file that has grown; files in `/proc` have no size at all. */
const roomFor = (size: number, maxBytes: number): number => Math.min(Math.max(size, 4096), maxBytes) + 1

/**
 * Reads the bytes of a regular file; follows links. Throws as Node does, and `EISDIR` for a folder, `EFTYPE` for a pipe, a
 * socket or a device, `EFBIG` past `maxBytes`.
 *
 * @param maxBytes Default: 10 MB.
 */
export const readRegularSync = (path: string, maxBytes = maxFileBytes): Buffer => {
  // Also checked before opening, because opening a device may have effects.
  expectRegular(path, statSync(path), maxBytes)
  const file = openSync(path, constants.O_RDONLY | unwaiting)
  try {
    const info = fstatSync(file)
    expectRegular(path, info, maxBytes)
    let buffer = Buffer.alloc(roomFor(info.size, maxBytes))
    for (let size = 0; ; ) {
      const bytesRead = readSync(file, buffer, size, buffer.length - size, size)
      if (bytesRead === 0) return buffer.subarray(0, size)
      size += bytesRead
      if (size > maxBytes) throw tooLarge(path, maxBytes)
      if (size === buffer.length) buffer = Buffer.concat([buffer], roomFor(2 * size, maxBytes))
    }
  } finally {
    closeSync(file)
  }
}

/**
 * The same as a promise, for asynchronous callers. Reads synchronously, because reading a file this small does not block
 * noticeably.
 */
export const readRegular = async (path: string, maxBytes?: number): Promise<Buffer> =>
  readRegularSync(path, maxBytes)
