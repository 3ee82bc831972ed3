/**
 * Files as the client's editor has them: open files are read with their unsaved changes, and changed in the editor.
 * The machine below does everything else, and decides what may be accessed at all.
 */
import { isUtf8 } from "node:buffer"
import type { Files } from "../../io/files.ts"
import { messageOf } from "../../text/message-of.ts"
import type { AcpSession } from "./client.ts"

/** Larger files are only read from disk: a client sends the text of a file in one message. In bytes. */
const maxText = 4 << 20

/** Error codes of JSON-RPC and ACP. */
const methodNotFound = -32601
const resourceNotFound = -32002

const isText = (bytes: Uint8Array): boolean => isUtf8(bytes) && !bytes.includes(0)

const tooLarge = (path: string, maxBytes: number): Error =>
  Object.assign(new Error(`EFBIG: ${path} has more than ${maxBytes} bytes`), { code: "EFBIG", path })

const byteOrderMark = "\uFEFF"
const plain = (text: string): string => text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n")

/** Editors drop byte order marks and convert line ends to `\n`: restores those on disk. */
const asOnDisk = (text: string, disk: string): string => {
  if (plain(text) === plain(disk)) return disk
  const lineEnds = disk.match(/\r?\n/g) ?? []
  const isCrlf = lineEnds.length > 0 && lineEnds.every((end) => end === "\r\n")
  const lines = isCrlf && !text.includes("\r") ? text.replaceAll("\n", "\r\n") : text
  return disk.startsWith(byteOrderMark) && !lines.startsWith(byteOrderMark) ? byteOrderMark + lines : lines
}

/** The text of a file in the client's editor; undefined if the client gives none. */
const editorText = async ({ client, sessionId }: AcpSession, path: string): Promise<string | undefined> => {
  try {
    const read = (await client.request("fs/read_text_file", { sessionId, path })) as { content?: unknown }
    return typeof read.content === "string" ? read.content : undefined
  } catch (error) {
    // The client has no such file, or reads none: nothing is unsaved.
    const { code } = Object(error) as { readonly code?: unknown }
    if (code === methodNotFound || code === resourceNotFound) return undefined
    throw new Error(
      `The editor could not say whether ${path} has unsaved changes: ${messageOf(error)}. Try again, or open the file in the editor.`,
      { cause: error },
    )
  }
}

/** The unsaved text of a file in the client's editor; undefined if the file is as on disk. */
export const unsavedText = async (
  session: AcpSession,
  path: string,
  disk: Uint8Array,
): Promise<string | undefined> => {
  if (!isText(disk) || disk.length > maxText) return undefined
  const text = await editorText(session, path)
  if (text === undefined) return undefined
  const saved = Buffer.from(disk).toString()
  const current = asOnDisk(text, saved)
  return current === saved ? undefined : current
}

/** The files of a client that reads, and of the machine below. */
export const acpFiles = (session: AcpSession, base: Files): Files => {
  const { client, sessionId, capabilities } = session
  const read: Files["read"] = async (path, maxBytes = Number.POSITIVE_INFINITY) => {
    // Read from the machine first: the client is not asked for a file that may not be read.
    const disk = await base.read(path, maxBytes)
    const text = await unsavedText(session, path, disk)
    if (text === undefined) return disk
    const bytes = Buffer.from(text)
    if (bytes.length > maxBytes) throw tooLarge(path, maxBytes)
    return bytes
  }
  const replace: Files["replace"] = async (path, content, signal, others) => {
    const isPlain = isText(content) && (others === undefined || others.length === 0)
    const isOurs = isPlain && (await base.stat(path))?.kind === "file" && (await base.isWritable(path))
    if (!isOurs || (await editorText(session, path)) === undefined) {
      return base.replace(path, content, signal, others)
    }
    signal?.throwIfAborted()
    await client.request("fs/write_text_file", { sessionId, path, content: Buffer.from(content).toString() })
  }
  return {
    ...base,
    async *chunks(path) {
      const info = await base.stat(path)
      if (info === undefined || info.size > maxText) yield* base.chunks(path)
      else yield await read(path)
    },
    read,
    // A client that cannot write must not have unsaved text overwritten on disk.
    ...(capabilities.fs?.writeTextFile === true && { replace }),
  }
}
