/** What the handlers of one composed pipeline tell each other about the file that they change. Make one a `compose`. */
import { createHash } from "node:crypto"

export class FileChange {
  /** Whether the file was written. */
  written = false
  private previewed: { readonly real: string; readonly digest: string } | undefined

  /** Remembers what the host is shown. A digest, because calls may wait for an approval in great numbers. */
  preview(real: string, content: Uint8Array): void {
    this.previewed = { real, digest: digestOf(content) }
  }

  /** Whether the path leads to another file now, or the file holds other bytes. False where nothing was previewed. */
  isStale(real: string, content: Uint8Array): boolean {
    const { previewed } = this
    return previewed !== undefined && (previewed.real !== real || previewed.digest !== digestOf(content))
  }
}

const digestOf = (content: Uint8Array): string => createHash("sha256").update(content).digest("base64")
