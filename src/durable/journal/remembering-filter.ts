/** Reports the rules that approvals add, so that they apply again when the store is reopened. */

import type { CallFilter, FilteredTool } from "../../model/options.ts"
import type { RememberChoice } from "../../policy/index.ts"

/** Called with each new rule: its tool, the parameters of the call, and the choice. */
export type RuleMade = (tool: FilteredTool, params: unknown, choice: RememberChoice) => void

/** Returns a filter that decides like the given one, and reports the rules that it adds. */
export const rememberingFilter = (filter: CallFilter, made: RuleMade): CallFilter => {
  const { remember } = filter
  return {
    evaluate: (tool, params) => filter.evaluate(tool, params),
    ...(filter.explain && { explain: (tool, params) => filter.explain!(tool, params) }),
    ...(filter.rememberable && {
      rememberable: (tool, params, choice) => filter.rememberable!(tool, params, choice),
    }),
    ...(filter.expectTools && { expectTools: (tools) => filter.expectTools!(tools) }),
    ...(filter.deniesPath && { deniesPath: (name, path) => filter.deniesPath!(name, path) }),
    ...(remember && {
      remember: (tool, params, choice = "call") => {
        const isMade = remember.call(filter, tool, params, choice)
        if (isMade) made(tool, params, choice)
        return isMade
      },
    }),
  }
}
