/** What `a` would remember at a gate, in words. */
import type { Tool } from "../../model/tool.ts"
import type { AllowRule, ToolFilters } from "../../policy/index.ts"
import type { Block } from "./block.ts"
import type { RenderBlockOptions } from "./render-options.ts"

export interface RememberedRulesOptions {
  readonly filters?: Pick<ToolFilters, "rememberable">
  readonly tool: (name: string) => Tool<unknown> | undefined
}

export const ruleText = (rule: AllowRule): string => {
  if (typeof rule === "string") return rule
  const text = rule.pattern ?? rule.call
  return rule.workingDir === undefined ? text : `${text} in ${rule.workingDir}`
}

export class RememberedRules {
  private readonly options: RememberedRulesOptions
  private last: { readonly gate: Block; readonly remembers: ReadonlyArray<string> | false } | undefined

  constructor(options: RememberedRulesOptions) {
    this.options = options
  }

  /** Computed once for each gate, because the time depends on the length of the command. */
  of(gate: Block): Pick<RenderBlockOptions, "remembers"> {
    const { filters } = this.options
    const tool = this.options.tool(gate.toolName)
    if (filters === undefined || tool === undefined) return {}
    if (this.last?.gate !== gate) {
      const remembers = filters.rememberable(tool, gate.params)?.map(ruleText) ?? false
      this.last = { gate, remembers }
    }
    return { remembers: this.last.remembers }
  }
}
