/** Sends a card's answer: not while the cards have just moved, and one at a time. */
import { useState } from "preact/hooks"
import type { Source } from "./source.ts"

/** The card's source, and how to show the outcome. */
export interface Answering {
  readonly source: Source
  /** Whether the cards have not moved for long enough that a click is meant for this one. */
  readonly isSettled: () => boolean
  readonly say: (text: string) => void
}

/** Returns whether an answer is being sent, and the function that sends one. */
export const useAnswer = ({ source, isSettled, say }: Answering) => {
  const [isBusy, setBusy] = useState(false)
  const send = async (path: Parameters<Source["ask"]>[0], body: object): Promise<void> => {
    if (!isSettled()) return say("The questions had just moved: look again, then answer.")
    setBusy(true)
    try {
      const { message } = await source.ask(path, body)
      say(message ?? "")
    } catch (error) {
      say((error as Error).message)
    }
    setBusy(false)
  }
  return { isBusy: isBusy || source.connection !== "live", send }
}
