/** Rules by place: calls in the sandbox can run without asking, calls outside of it need a person. */
import type { CallExplanation, CallFilter, FilteredTool } from "../model/options.ts"

/** A rule for a tool's calls, by where they run. */
export interface PlaceRule {
  /** The verdict on the tool's calls in the sandbox, if no other rule decides. */
  readonly sandboxed?: "approve"
  /** The source of this rule in explanations, such as a file. */
  readonly source?: string
}

/** Whether a call asks to run outside of the sandbox. */
export const leavesSandbox = (params: unknown): boolean =>
  typeof params === "object" && params !== null && (params as { unsandboxed?: unknown }).unsandboxed === true

const explained = (filters: CallFilter, tool: FilteredTool, params: unknown): CallExplanation =>
  filters.explain?.(tool, params) ?? {
    verdict: filters.evaluate(tool, params) ?? "ask",
    because: "The rules say so.",
  }

class SandboxFilters implements CallFilter {
  private readonly inner: CallFilter
  private readonly rules: Readonly<Record<string, PlaceRule>>

  constructor(inner: CallFilter, rules: Readonly<Record<string, PlaceRule>>) {
    this.inner = inner
    this.rules = rules
  }

  evaluate(tool: FilteredTool, params: unknown): "approve" | "deny" | undefined {
    const { verdict } = this.explain(tool, params)
    return verdict === "ask" ? undefined : verdict
  }

  explain(tool: FilteredTool, params: unknown): CallExplanation {
    const inner = explained(this.inner, tool, params)
    if (inner.verdict === "deny") return inner
    if (leavesSandbox(params)) return { verdict: "ask", because: "It runs outside of the sandbox." }
    const place = Object.hasOwn(this.rules, tool.name) ? this.rules[tool.name] : undefined
    if (place?.sandboxed !== "approve" || inner.verdict === "approve") return inner
    return {
      verdict: "approve",
      rule: 'sandboxed = "approve"',
      ...(place.source !== undefined && { source: place.source }),
      because: `It runs in the sandbox, where \`${tool.name}\` is approved.`,
    }
  }

  /** Never remembers a choice for a call that leaves the sandbox: it asks each time. */
  remember: NonNullable<CallFilter["remember"]> = (tool, params, choice) =>
    !leavesSandbox(params) && this.inner.remember?.(tool, params, choice) === true

  rememberable: NonNullable<CallFilter["rememberable"]> = (tool, params, choice) =>
    leavesSandbox(params) ? undefined : this.inner.rememberable?.(tool, params, choice)

  deniesPath(toolName: string, path: string): boolean {
    return this.inner.deniesPath?.(toolName, path) === true
  }

  expectTools(tools: ReadonlyArray<string>): void {
    this.inner.expectTools?.(tools)
  }

  at(cwd: string): CallFilter {
    return new SandboxFilters(this.inner.at?.(cwd) ?? this.inner, this.rules)
  }
}

/**
 * Filters for an executor whose tools work on a `sandboxedMachine`: deny rules apply everywhere; a call with
 * `unsandboxed: true` always asks, even if a rule allows it; for the rest `rules` decide, then the other filters.
 *
 * @example
 * sandboxFilters(ToolFilters.compile({ shell: { deny: ["^git push"] } }), { shell: { sandboxed: "approve" } })
 */
export const sandboxFilters = (
  filters: CallFilter,
  rules: Readonly<Record<string, PlaceRule>> = {},
): CallFilter => new SandboxFilters(filters, rules)
