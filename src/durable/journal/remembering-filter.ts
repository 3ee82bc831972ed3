/** Keeps the rules that approvals make: they hold again once the store is opened again. */

import type { CallFilter, FilteredTool } from "../../pipeline/model/options.ts"
import type { RememberChoice } from "../../policy/index.ts"

/** Told each rule that was made: of which tool, of which parameters, and what was chosen. */
export type RuleMade = (tool: FilteredTool, params: unknown, choice: RememberChoice) => void

/** The same filter; what it remembers is told. */
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
