/** How much of each background task's output was read, for readers that repeatedly ask for new output. */
import type { Call } from "../pipeline/call/call.ts"

/** The number of characters that were read or, for a task that has ended, the unread rest. */
interface OutputRead {
  readonly end: number
  readonly rest: string
}

/** Returns the text that a call streamed after this many characters, and the total number. */
const outputSince = ({ stream }: Call, characters: number): { readonly text: string; readonly end: number } =>
  stream?.transcript.since(characters) ?? { text: "", end: 0 }

/** The read positions of the tasks that have a reader. */
export class OutputReads {
  private readonly reads = new Map<string, OutputRead>()

  /** The new output of a running task. */
  running(id: string, call: Call): string {
    const { text, end } = outputSince(call, this.reads.get(id)?.end ?? 0)
    this.reads.set(id, { end, rest: "" })
    return text
  }

  /** The unread output of a task that has ended: its whole result if nothing was read before. */
  ended(id: string, content: string | undefined): string {
    if (content === undefined) return ""
    const read = this.reads.get(id)
    this.reads.set(id, { end: 0, rest: "" })
    return read === undefined ? content : read.rest
  }

  /** Keeps the unread output of a task that ends. If the task streamed nothing, this is its result. */
  keepUnread(call: Call, content: string): void {
    const { callId } = call.toolCall
    const read = this.reads.get(callId)
    if (read === undefined) return
    const { text, end } = outputSince(call, read.end)
    this.reads.set(callId, { end, rest: end === 0 ? content : text })
  }

  /** Forgets a task. */
  forget(id: string): void {
    this.reads.delete(id)
  }
}
