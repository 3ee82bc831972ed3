/** The texts of results that were cut, for `read_result`, by the ids of their calls. */

/** The total size of all texts, in bytes. */
const maxKeptBytes = 64 * 1024 * 1024

interface KeptResult {
  readonly agentId: string
  readonly text: Buffer
}

/** Keeps the latest texts up to a total size. The oldest are dropped first. */
export class KeptResults {
  private readonly results = new Map<string, KeptResult>()
  private readonly maxBytes: number
  private bytes = 0

  constructor(maxBytes = maxKeptBytes) {
    this.maxBytes = maxBytes
  }

  /** Keeps a text. Returns false if the text alone is too long. */
  keep(agentId: string, callId: string, text: Buffer): boolean {
    this.forget(callId)
    if (text.length > this.maxBytes) return false
    this.results.set(callId, { agentId, text })
    this.bytes += text.length
    for (const oldest of this.results.keys()) {
      if (this.bytes <= this.maxBytes) break
      this.forget(oldest)
    }
    return true
  }

  /** The text of a call of this agent. */
  get(agentId: string, callId: string): Buffer | undefined {
    const kept = this.results.get(callId)
    return kept?.agentId === agentId ? kept.text : undefined
  }

  private forget(callId: string): void {
    const kept = this.results.get(callId)
    if (kept === undefined) return
    this.results.delete(callId)
    this.bytes -= kept.text.length
  }
}
