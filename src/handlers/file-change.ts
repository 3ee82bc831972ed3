/** What the handlers of one pipeline share about the file that they change, stored in the call's memory. */
import { createHash } from "node:crypto"
import type { CallMemory } from "../model/handler.ts"

interface Previewed {
  readonly real: string
  readonly digest: string
}

/** Its keys in the memory: one file per pipeline. */
const previewedKey = "fileChange.previewed"
const writtenKey = "fileChange.written"

/** Pass it to the handlers that preview, write and reload one file: then only the previewed file is written. */
export class FileChange {
  /** Stores a digest of what the host is shown, not the content, because many calls can wait for an approval. */
  preview(memory: CallMemory, real: string, content: Uint8Array): void {
    memory[previewedKey] = { real, digest: digestOf(content) } satisfies Previewed
  }

  /** Whether the path now leads to another file, or the file has other bytes. False if nothing was previewed. */
  isStale(memory: CallMemory, real: string, content: Uint8Array): boolean {
    const previewed = memory[previewedKey] as Previewed | undefined
    return previewed !== undefined && (previewed.real !== real || previewed.digest !== digestOf(content))
  }

  /** Records that the file was written. */
  wrote(memory: CallMemory): void {
    memory[writtenKey] = true
  }

  isWritten(memory: CallMemory): boolean {
    return memory[writtenKey] === true
  }
}

const digestOf = (content: Uint8Array): string => createHash("sha256").update(content).digest("base64")
