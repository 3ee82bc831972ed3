/** The file of `--timeline`, opened before anything runs, so that a wrong path fails early. */
import { type FileHandle, open } from "node:fs/promises"
import { recordTimeline, type TimelineRecording } from "../hosts/web/server/written-timeline.ts"
import { writeFault } from "../io/file-fault.ts"
import type { LocalExecutor } from "./local-executor.ts"
import { pageTitle } from "./page.ts"
import { UsageError } from "./usage-error.ts"

export class TimelineFile {
  private readonly file: FileHandle
  private recording: TimelineRecording | undefined

  private constructor(file: FileHandle) {
    this.file = file
  }

  /** Rejects with a UsageError if the file cannot be written. */
  static async open(path: string): Promise<TimelineFile> {
    // It contains the inputs and outputs of tools, so only its owner can read it.
    const file = await open(path, "w", 0o600).catch((error) => {
      throw new UsageError(`--timeline ${path}: ${writeFault(error)}`)
    })
    // `open` applies the mode only to a new file.
    await file.chmod(0o600)
    return new TimelineFile(file)
  }

  /** Starts recording. */
  record(local: Pick<LocalExecutor, "executor" | "cwd">): void {
    this.recording = recordTimeline(local.executor, { title: pageTitle(local) })
  }

  /** Writes the recording. */
  async write(): Promise<void> {
    try {
      if (this.recording !== undefined) await this.file.writeFile(await this.recording.html())
    } finally {
      this.recording?.[Symbol.dispose]()
      await this.file.close()
    }
  }
}
