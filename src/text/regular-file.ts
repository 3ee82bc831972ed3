/**
 * Reads files that nobody has decided on, such as those of a folder that a command is called in: a pipe or a device in the
 * place of one keeps nobody waiting, and no file fills the memory.
 */
import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from "node:fs"

/** Of a file that people write: what is larger is none. */
const maxFileBytes = 10_000_000

/** To open a pipe waits for nobody then. */
const unwaiting = constants.O_NONBLOCK ?? 0

/** Flags for `open`. */
export const appending = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | unwaiting

const failure = (code: string, what: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`${code}: ${what}`), { code })

const tooLarge = (path: string, maxBytes: number): NodeJS.ErrnoException =>
  failure("EFBIG", `${path} has more than ${maxBytes} bytes`)

/** Throws for what is no regular file, or too large. */
export const expectRegular = (path: string, info: Stats, maxBytes = maxFileBytes): void => {
  if (info.isDirectory()) throw failure("EISDIR", `${path} is a folder`)
  if (!info.isFile()) throw failure("EFTYPE", `${path} is not a regular file`)
  if (info.size > maxBytes) throw tooLarge(path, maxBytes)
}

/** A byte more than there are shows that a file has grown; those of `/proc` have no size at all. */
const roomFor = (size: number, maxBytes: number): number => Math.min(Math.max(size, 4096), maxBytes) + 1

/**
 * The bytes of a regular file; links are followed. Throws as Node does, and for anything else: `EISDIR` for a folder, `EFTYPE`
 * for a pipe, a socket or a device, `EFBIG` past `maxBytes`.
 *
 * @param maxBytes Default: 10 MB.
 */
export const readRegularSync = (path: string, maxBytes = maxFileBytes): Buffer => {
  // Before it is opened too: to open a device may do something.
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

/** The same, for those who wait anyhow: of a file as small as these are, the disk keeps nobody waiting. */
export const readRegular = async (path: string, maxBytes?: number): Promise<Buffer> =>
  readRegularSync(path, maxBytes)
