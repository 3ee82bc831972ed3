/** What the handlers of one pipeline tell each other about the file that they change, kept in the call's memory. */
import { createHash } from "node:crypto"
import type { CallMemory } from "../pipeline/model/handler.ts"

interface Previewed {
  readonly real: string
  readonly digest: string
}

/** Where it stands in the memory: one file a pipeline. */
const previewedKey = "fileChange.previewed"
const writtenKey = "fileChange.written"

/** Given to the handlers that preview, write and reload one file: then only the file that was previewed is written. */
export class FileChange {
  /** Remembers what the host is shown. A digest, because calls may wait for an approval in great numbers. */
  preview(memory: CallMemory, real: string, content: Uint8Array): void {
    memory[previewedKey] = { real, digest: digestOf(content) } satisfies Previewed
  }

  /** Whether the path leads to another file now, or the file holds other bytes. False where nothing was previewed. */
  isStale(memory: CallMemory, real: string, content: Uint8Array): boolean {
    const previewed = memory[previewedKey] as Previewed | undefined
    return previewed !== undefined && (previewed.real !== real || previewed.digest !== digestOf(content))
  }

  /** The file was written. */
  wrote(memory: CallMemory): void {
    memory[writtenKey] = true
  }

  isWritten(memory: CallMemory): boolean {
    return memory[writtenKey] === true
  }
}

const digestOf = (content: Uint8Array): string => createHash("sha256").update(content).digest("base64")
