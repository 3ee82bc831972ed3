/** A state that was written into the page: it does not change, and accepts no answers. */
import type { CallDetail } from "../state/detail.ts"
import { type PlainState, readState } from "../state/page-state.ts"
import type { Source } from "./source.ts"

/** The data in a written page. */
export interface Written {
  readonly state: PlainState
  readonly details: Readonly<Record<string, CallDetail>>
  /** When it was written, in epoch milliseconds. */
  readonly at: number
}

/** Returns undefined if no state is written into the page. */
export const writtenSource = (element: HTMLElement | null): Source | undefined => {
  if (element === null) return undefined
  const { state, details, at } = JSON.parse(element.textContent) as Written
  return {
    state: readState(state),
    connection: "written",
    now: () => at,
    onChange: () => () => {},
    callDetail: async (key) => details[key],
    questionDetail: async () => undefined,
    tools: async () => [],
    ask: async () => {
      throw new Error("This page was written down: nobody is there to ask.")
    },
  }
}
