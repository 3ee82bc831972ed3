/** The source of the page's state, and the receiver of its answers. */
import { useEffect, useState } from "preact/hooks"
import type { CallDetail, QuestionDetail, ToolDetail } from "../state/detail.ts"
import type { PageState } from "../state/page-state.ts"

/** Whether the page receives changes. `refused`: it never will, because it has no token. */
export type Connection = "connecting" | "live" | "lost" | "refused" | "ended" | "written"

/** Whether a request took effect, with a message. */
export interface Took {
  readonly took: boolean
  readonly message?: string
}

/** What the page shows, and the target of its requests. */
export interface Source {
  readonly state: PageState
  readonly connection: Connection
  /** The time that the page shows: the present, or the last time of a written page. */
  now(): number
  onChange(listener: () => void): () => void
  callDetail(key: number): Promise<CallDetail | undefined>
  questionDetail(id: string): Promise<QuestionDetail | undefined>
  tools(): Promise<ReadonlyArray<ToolDetail>>
  /** Rejects if the request could not be sent; the message is a sentence. */
  ask(path: "answer" | "dialog" | "resolve" | "task" | "call", body: object): Promise<Took>
}

/** Returns a source's state, and renders again whenever it changes. */
export const useSource = (source: Source): PageState => {
  const [, count] = useState(0)
  useEffect(() => {
    const again = () => count((n) => n + 1)
    const stop = source.onChange(again)
    // The state can have changed before the subscription.
    again()
    return stop
  }, [source])
  return source.state
}
