/** What a card of the inbox sends: not while the cards have just moved, and one thing at a time. */
import { useState } from "preact/hooks"
import type { Source } from "./source.ts"

/** Who sends it, and where it is said what came of it. */
interface Answering {
  readonly source: Source
  /** Whether the cards have stood still long enough to be meant. */
  readonly isSettled: () => boolean
  readonly say: (text: string) => void
}

/** Whether an answer is on its way, and what sends one. */
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
  return { isBusy, send }
}
