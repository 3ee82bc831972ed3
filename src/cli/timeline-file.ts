/** The file of `--timeline`: opened before anything runs, so that a wrong path costs no run. */
import { type FileHandle, open } from "node:fs/promises"
import { recordTimeline, type TimelineRecording } from "../hosts/web/server/written-timeline.ts"
import { messageOf } from "../pipeline/model/failure.ts"
import type { LocalExecutor } from "./local-executor.ts"
import { pageTitle } from "./page.ts"
import { UsageError } from "./usage-error.ts"

export class TimelineFile {
  private readonly file: FileHandle
  private readonly recording: TimelineRecording

  private constructor(file: FileHandle, recording: TimelineRecording) {
    this.file = file
    this.recording = recording
  }

  /** Begins to record. Throws a UsageError where the file cannot be written. */
  static async open(local: Pick<LocalExecutor, "executor" | "cwd">, path: string): Promise<TimelineFile> {
    // It holds what tools were given and what they put out: for its owner alone.
    const file = await open(path, "w", 0o600).catch((error) => {
      throw new UsageError(`--timeline ${path}: ${messageOf(error)}`)
    })
    // The mode counts only for a file that is made.
    await file.chmod(0o600)
    return new TimelineFile(file, recordTimeline(local.executor, { title: pageTitle(local) }))
  }

  /** Writes all that happened. */
  async write(): Promise<void> {
    try {
      await this.file.writeFile(await this.recording.html())
    } finally {
      this.recording[Symbol.dispose]()
      await this.file.close()
    }
  }
}
