/** A file of one lane, and all that its calls did with it: what each read should have seen is known when all are over. */
import { readFile, writeFile } from "node:fs/promises"

interface Write {
  /** In the order of enqueueing, from 1. */
  readonly value: number
  isDone: boolean
}

interface Read {
  readonly callId: string
  /** The writes that were enqueued before it. */
  readonly before: number
  readonly saw: string
}

export class SharedFile {
  readonly path: string
  private writes: Array<Write> = []
  private reads: Array<Read> = []
  /** The value of the last write of the rounds before. */
  private last = 0
  private enqueued = 0

  constructor(path: string) {
    this.path = path
  }

  create(): Promise<void> {
    return writeFile(this.path, "0")
  }

  /** Gives the value to write. */
  addWrite(): number {
    this.enqueued += 1
    this.writes.push({ value: this.enqueued, isDone: false })
    return this.enqueued
  }

  /** What a read that is enqueued now stands behind. */
  get before(): number {
    return this.enqueued
  }

  async write(value: number): Promise<void> {
    await writeFile(this.path, String(value))
    this.writes.find((write) => write.value === value)!.isDone = true
  }

  async read(callId: string, before: number): Promise<void> {
    this.reads.push({ callId, before, saw: await readFile(this.path, "utf8") })
  }

  /** What was seen too early or too late by the calls that count. All are over, and none is remembered. */
  faults(counts: (callId: string) => boolean): Array<string> {
    const faults = this.reads.flatMap(({ callId, before, saw }) => {
      const seen = this.writes.findLast(({ value, isDone }) => isDone && value <= before)
      const expected = String(seen?.value ?? this.last)
      if (saw === expected || !counts(callId)) return []
      return [
        `${callId} read ${JSON.stringify(saw)} behind ${before} writes, not ${JSON.stringify(expected)}`,
      ]
    })
    this.last = this.writes.findLast(({ isDone }) => isDone)?.value ?? this.last
    this.writes = []
    this.reads = []
    return faults
  }
}
