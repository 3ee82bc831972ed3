/**
 * What an agent's next turn should do about a pending preview: pure transitions of a small state. `soft` reminds once,
 * forces after a turn that did something else, and gives up after three forced turns; `forced` forces while an action is
 * pending.
 */

/** How a model is made to resolve a preview: reminded first (`soft`), or forced while one is pending (`forced`). */
export type ResolveChoice = "soft" | "forced"

/** How far the agent has been reminded or forced. */
export type TurnState =
  | { readonly _tag: "Idle" }
  | { readonly _tag: "Remind" }
  /** The model was reminded; the next watched turn decides whether it is forced. */
  | { readonly _tag: "Reminded" }
  | { readonly _tag: "Force"; readonly turns: number }
  /** Forcing has failed: the action stays pending, and turns are not watched. */
  | { readonly _tag: "Free" }

/** The next turn: any tool (`auto`), any tool after a reminder (`remind`), or only `resolve` (`force`). */
export type ToolChoiceMode = "auto" | "remind" | "force"

const forcedTurns = 3

/** No action is pending. */
export const idle: TurnState = { _tag: "Idle" }

/** An action is pending: a new one, one whose apply failed, or the next on the stack. */
export const pending = (choice: ResolveChoice): TurnState =>
  choice === "forced" ? { _tag: "Force", turns: 0 } : { _tag: "Remind" }

/** The mode of the next turn; undefined if no action is pending. */
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

/** Calls were enqueued outside a watched turn: the reminder counts as given, and any tool may be called. */
export const unwatched = (state: TurnState): TurnState =>
  state._tag === "Remind" ? { _tag: "Reminded" } : state

/** The outcome of a turn. */
export interface Turn {
  readonly state: TurnState
  /** Whether none of the turn's calls may run. */
  readonly withheld: boolean
}

/**
 * Ends a turn of the model. `onlyResolves`: it called `resolve` and nothing else. A `resolve` that reaches the action leads to
 * `pending` or `idle`; if it does not, such as with invalid parameters, the turn counts as one without a result.
 */
export const turn = (state: TurnState, choice: ResolveChoice, onlyResolves: boolean): Turn => {
  if (state._tag === "Idle" || state._tag === "Free") return { state, withheld: false }
  if (onlyResolves && state._tag !== "Force") return { state: unwatched(state), withheld: false }
  const turns = state._tag === "Force" ? state.turns + 1 : 0
  const givesUp = choice === "soft" && turns >= forcedTurns
  return { state: givesUp ? { _tag: "Free" } : { _tag: "Force", turns }, withheld: !onlyResolves }
}
