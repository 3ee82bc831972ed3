/** The answers of a terminal to the effects of tools: it has no editor and no sub-agents. */
import type { DelegateEvent } from "../../model/event.ts"

export const answerEffect = (event: DelegateEvent): void => {
  if (event.effect._tag.startsWith("Ide")) event.succeed()
  else event.fail(`The terminal host cannot answer ${event.effect._tag}`)
}
