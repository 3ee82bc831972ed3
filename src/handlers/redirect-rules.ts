/** Holds what a fetch is led to, by redirects and by pages, to the rules that its call passed. */
import { shownUrl } from "../io/shown-url.ts"
import type { HandlerContext } from "../pipeline/model/handler.ts"
import { ToolError } from "../pipeline/model/step.ts"

const isUrl = (value: unknown, { href }: URL): boolean =>
  typeof value === "string" && URL.canParse(value) && new URL(value).href === href

/** The parameters that the call would have had, had it named the other URL. A call that names none keeps its own. */
const renamed = (params: unknown, url: URL, other: string): unknown =>
  typeof params === "object" && params !== null
    ? Object.fromEntries(
        Object.entries(params).map(([name, value]) => [name, isUrl(value, url) ? other : value]),
      )
    : params

/** What is asked for. The hash stays here, and a user name in front of the host would hide it from rules. */
const requested = (url: URL): string => {
  const asked = new URL(url)
  asked.hash = ""
  asked.username = ""
  asked.password = ""
  return asked.href
}

/** One that somebody made without an executor may have no rules; a copy of an executor's has lost all that it tells. */
type RuledContext = Partial<Pick<HandlerContext, "call" | "verdictOn">>

/**
 * Throws a ToolError for a URL that the call of `url` is led to, and that its rules would not have let through without a
 * question. What was asked for already, such as a page that reloads itself, is not asked again.
 */
export const heldToRules = ({ call, verdictOn }: RuledContext, url: URL) => {
  const passed = new Set<string>()
  return (from: URL, to: URL): void => {
    passed.add(requested(from))
    const target = requested(to)
    if (passed.has(target)) return
    if (call === undefined)
      throw new TypeError("A copy of the handler's context has lost its rules: pass on the context itself")
    const verdict = verdictOn?.(renamed(call.params, url, target)) ?? "run"
    if (verdict === "run") return
    const redirects = `${shownUrl(from)} redirects to ${shownUrl(target)}`
    throw new ToolError(
      verdict === "deny"
        ? `${redirects}, which a rule for ${call.name} denies. Go on without it.`
        : `${redirects}, which the rules for ${call.name} do not let pass without a question. Call ${call.name} with that URL.`,
    )
  }
}
