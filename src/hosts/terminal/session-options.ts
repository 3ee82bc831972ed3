/** The options of a session on a terminal. */
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
  /** The user: who answers gates, as `by`. Default: nobody is named, and gates of people with names cannot be answered. */
  readonly by?: string
  /** The number of earlier calls, if calls outlive the session: numbering continues after it. */
  readonly callsBefore?: number
  /** The prefix of the numbers in call ids, if other sessions number theirs too. Default: none. */
  readonly callPrefix?: string
  /** A sentence for the user who leaves. Default: none. */
  readonly farewell?: () => string | undefined
  /** The first line. */
  readonly greeting?: string
  /** Reports that are not about the user's calls, such as from agents: shown while no foreground call runs or waits. */
  readonly notifications?: Notifications
  /** The base of relative paths, for the Tab key. Default: the process's folder. */
  readonly cwd?: string
  /** The lines of earlier sessions, which also stores those of this one. Default: none. */
  readonly history?: LineHistory
  /** The executor's filters, to show what `a` would remember at a gate. Default: the gate does not show that. */
  readonly filters?: Pick<ToolFilters, "rememberable">
  /** The file that stores remembered rules, for the gate to show. Default: rules apply to this session. */
  readonly rulesPath?: string
  /** Edits a text with an editor command. Default: runs the command on this process's terminal. */
  readonly editText?: (command: string, text: string, fileName: string) => Promise<string>
  /** What `/corrections` lists, newest first. Default: nothing. */
  readonly corrections?: () => Promise<ReadonlyArray<Correction>>
}
