/** How far the output of background tasks was read, by who asks again and again for what is new. */
import type { Call } from "../pipeline/call/call.ts"

/** So many characters, or, of a task that has ended, what was left. */
interface OutputRead {
  readonly end: number
  readonly rest: string
}

/** What a call streamed after that many characters, and how many it streamed in all. */
const outputSince = ({ stream }: Call, characters: number): { readonly text: string; readonly end: number } =>
  stream?.transcript.since(characters) ?? { text: "", end: 0 }

/** What was read of each task, where somebody reads. */
export class OutputReads {
  private readonly reads = new Map<string, OutputRead>()

  /** What is new of a task that runs. */
  running(id: string, call: Call): string {
    const { text, end } = outputSince(call, this.reads.get(id)?.end ?? 0)
    this.reads.set(id, { end, rest: "" })
    return text
  }

  /** What is left of one that has ended: its result, where nobody read before. */
  ended(id: string, content: string | undefined): string {
    if (content === undefined) return ""
    const read = this.reads.get(id)
    this.reads.set(id, { end: 0, rest: "" })
    return read === undefined ? content : read.rest
  }

  /** The task ends: what nobody has read of it is kept. Where nothing was streamed, the result is news. */
  keepUnread(call: Call, content: string): void {
    const { callId } = call.toolCall
    const read = this.reads.get(callId)
    if (read === undefined) return
    const { text, end } = outputSince(call, read.end)
    this.reads.set(callId, { end, rest: end === 0 ? content : text })
  }

  /** The task is no more. */
  forget(id: string): void {
    this.reads.delete(id)
  }
}
