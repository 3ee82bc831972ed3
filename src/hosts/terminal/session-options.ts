/** What a session of the terminal is made with. */
import type { ReadStream, WriteStream } from "node:tty"
import type { Correction } from "../../io/corrections.ts"
import type { ToolExecutor } from "../../pipeline/executor.ts"
import type { ToolFilters } from "../../policy/index.ts"
import type { Notifications } from "../notifications.ts"
import type { LineHistory } from "./line-history.ts"

/** The options of a `Session`. */
export interface SessionOptions {
  readonly executor: ToolExecutor
  /** A terminal. Default: the process's. */
  readonly input?: ReadStream
  readonly output?: WriteStream
  /** Default: whether the output shows colours. */
  readonly colors?: boolean
  /** How many calls there may have been before, where they outlive the session: its calls are numbered on from there. */
  readonly callsBefore?: number
  /** What stands before the numbers that are the ids of its calls, where other sessions number theirs, too. Default: nothing. */
  readonly callPrefix?: string
  /** What is said when the user leaves. Default: nothing. */
  readonly farewell?: () => string | undefined
  /** The first line. */
  readonly greeting?: string
  /** What else is reported beside the user's calls, such as by agents: shown once no foreground call runs or waits. */
  readonly notifications?: Notifications
  /** Where relative paths start, for the Tab key. Default: the process's folder. */
  readonly cwd?: string
  /** The lines of earlier sessions, and where those of this one go. Default: nowhere. */
  readonly history?: LineHistory
  /** Tells what `a` would remember at a gate: the executor's filters. Default: the gate does not say. */
  readonly filters?: Pick<ToolFilters, "rememberable">
  /** The file that keeps what is remembered, as the gate shows it. Default: it holds for this session. */
  readonly rulesPath?: string
  /** Edits a text in the editor that a command names. Default: it runs there, on this process's terminal. */
  readonly editText?: (command: string, text: string, fileName: string) => Promise<string>
  /** What `/corrections` lists, the newest first. Default: nothing. */
  readonly corrections?: () => Promise<ReadonlyArray<Correction>>
}
