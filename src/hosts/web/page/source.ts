/** Where the page's state comes from, and where its answers go. */
import { useEffect, useState } from "preact/hooks"
import type { CallDetail, QuestionDetail, ToolDetail } from "../state/detail.ts"
import type { PageState } from "../state/page-state.ts"

/** Whether the page is told what happens. `refused`: it never will be, for it has no token. */
export type Connection = "connecting" | "live" | "lost" | "refused" | "ended" | "written"

/** Whether what was asked took effect, and what there is to say. */
export interface Took {
  readonly took: boolean
  readonly message?: string
  readonly content?: string
}

/** What the page shows, and whom it asks. */
export interface Source {
  readonly state: PageState
  readonly connection: Connection
  /** The time that the page shows: that of its clock, or the last of what was written down. */
  now(): number
  onChange(listener: () => void): () => void
  callDetail(key: number): Promise<CallDetail | undefined>
  questionDetail(id: string): Promise<QuestionDetail | undefined>
  tools(): Promise<ReadonlyArray<ToolDetail>>
  /** Throws with a sentence where it could not be asked. */
  ask(path: "answer" | "dialog" | "resolve" | "task" | "call", body: object): Promise<Took>
}

/** A source's state, again whenever it changes. */
export const useSource = (source: Source): PageState => {
  const [, count] = useState(0)
  useEffect(() => {
    const again = () => count((n) => n + 1)
    const stop = source.onChange(again)
    // It may have changed before anybody listened.
    again()
    return stop
  }, [source])
  return source.state
}
