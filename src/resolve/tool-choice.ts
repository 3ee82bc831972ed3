/**
 * What an agent's next turn should do about a preview that waits: pure transitions of one small state.
 * `soft` reminds once, forces after a turn that did something else, and gives up after three forced turns;
 * `forced` forces as long as something is pending.
 */

/** How a model is brought to resolve a preview: reminded first (`soft`), or forced as long as it waits (`forced`). */
export type ResolveChoice = "soft" | "forced"

/** How far an agent was reminded or forced. */
export type TurnState =
  | { readonly _tag: "Idle" }
  | { readonly _tag: "Remind" }
  /** The reminder was given once; what the next watched turn does still counts. */
  | { readonly _tag: "Reminded" }
  | { readonly _tag: "Force"; readonly turns: number }
  /** It was forced in vain: the action stays pending, and nothing is watched. */
  | { readonly _tag: "Free" }

/** Of the next turn: free (`auto`), free once its model was told of the preview (`remind`), or `resolve` alone (`force`). */
export type ToolChoiceMode = "auto" | "remind" | "force"

const forcedTurns = 3

/** Nothing is pending. */
export const idle: TurnState = { _tag: "Idle" }

/** An action is pending again: a new one, or one whose apply failed, or the next of the stack. */
export const pending = (choice: ResolveChoice): TurnState =>
  choice === "forced" ? { _tag: "Force", turns: 0 } : { _tag: "Remind" }

/** What the next turn is to do; undefined where nothing is pending. */
export const modeOf = (state: TurnState): ToolChoiceMode | undefined => {
  switch (state._tag) {
    case "Idle":
      return undefined
    case "Remind":
      return "remind"
    case "Force":
      return "force"
    case "Reminded":
    case "Free":
      return "auto"
  }
}

/** Calls were enqueued without a watch over the turn: the reminder was given, and the choice is free. */
export const unwatched = (state: TurnState): TurnState =>
  state._tag === "Remind" ? { _tag: "Reminded" } : state

/** What came of a turn. */
export interface Turn {
  readonly state: TurnState
  /** Whether none of the turn's calls may run. */
  readonly withheld: boolean
}

/**
 * A whole turn of the model: whether it called `resolve`, and nothing else. A `resolve` that gets to the action starts
 * over with `pending`, or ends it; one that does not, such as one with invalid parameters, was a turn in vain.
 */
export const turn = (state: TurnState, choice: ResolveChoice, onlyResolves: boolean): Turn => {
  if (state._tag === "Idle" || state._tag === "Free") return { state, withheld: false }
  if (onlyResolves && state._tag !== "Force") return { state: unwatched(state), withheld: false }
  const turns = state._tag === "Force" ? state.turns + 1 : 0
  const givesUp = choice === "soft" && turns >= forcedTurns
  return { state: givesUp ? { _tag: "Free" } : { _tag: "Force", turns }, withheld: !onlyResolves }
}
