/** How far the output of background tasks was read, by who asks again and again for what is new. */
import { LateMap } from "../pipeline/schedule/late-map.ts"

/** What a task puts out. */
interface Streaming {
  readonly callId: string
  outputSince(characters: number): { readonly text: string; readonly end: number }
}

/** So many characters, or, of a task that has ended, what was left. */
interface OutputRead {
  readonly end: number
  readonly rest: string
}

/** What was read of each task, where somebody reads. */
export class OutputReads {
  private readonly reads = new LateMap<string, OutputRead>()

  /** What is new of a task that runs. */
  running(id: string, task: Streaming): string {
    const { text, end } = task.outputSince(this.reads.get(id)?.end ?? 0)
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
  keepUnread(task: Streaming, content: string): void {
    const read = this.reads.get(task.callId)
    if (read === undefined) return
    const { text, end } = task.outputSince(read.end)
    this.reads.set(task.callId, { end, rest: end === 0 ? content : text })
  }

  /** The task is no more. */
  forget(id: string): void {
    this.reads.delete(id)
  }
}
