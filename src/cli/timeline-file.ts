/** The file of `--timeline`, opened before anything runs, so that a wrong path fails early. */
import { type FileHandle, open } from "node:fs/promises"
import { recordTimeline, type TimelineRecording } from "../hosts/web/server/written-timeline.ts"
import { writeFault } from "../io/file-fault.ts"
import type { LocalExecutor } from "./local-executor.ts"
import { pageTitle } from "./page.ts"
import { tell } from "./tell.ts"
import { UsageError } from "./usage-error.ts"

export class TimelineFile {
  private readonly path: string
  private readonly file: FileHandle
  private recording: TimelineRecording | undefined

  private constructor(path: string, file: FileHandle) {
    this.path = path
    this.file = file
  }

  /** Rejects with a UsageError if the file cannot be written. */
  static async open(path: string): Promise<TimelineFile> {
    try {
      // It contains the inputs and outputs of tools, so only its owner can read it.
      const file = await open(path, "w", 0o600)
      // `open` applies the mode only to a new file. A device such as /dev/null belongs to everybody.
      if ((await file.stat()).isFile()) await file.chmod(0o600)
      return new TimelineFile(path, file)
    } catch (error) {
      throw new UsageError(`--timeline ${path}: ${writeFault(error)}`)
    }
  }

  /** Starts recording. */
  record(local: Pick<LocalExecutor, "executor" | "cwd">): void {
    this.recording = recordTimeline(local.executor, { title: pageTitle(local) })
  }

  /** Writes the recording. Resolves with whether that was possible; reports it otherwise. */
  async write(): Promise<boolean> {
    try {
      if (this.recording !== undefined) await this.file.writeFile(await this.recording.html())
      return true
    } catch (error) {
      tell(`--timeline ${this.path}: ${writeFault(error)}`)
      return false
    } finally {
      this.recording?.[Symbol.dispose]()
      await this.file.close()
    }
  }
}
