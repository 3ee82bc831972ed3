/** Applies the rules of a call to the URLs that its fetch is redirected to, by servers and by pages. */
import { shownUrl } from "../io/shown-url.ts"
import type { HandlerContext } from "../model/handler.ts"
import { ToolError } from "../model/step.ts"

const isUrl = (value: unknown, { href }: URL): boolean =>
  typeof value === "string" && URL.canParse(value) && new URL(value).href === href

/** The call's parameters with the other URL. Parameters that do not contain the URL are unchanged. */
const renamed = (params: unknown, url: URL, other: string): unknown =>
  typeof params === "object" && params !== null
    ? Object.fromEntries(
        Object.entries(params).map(([name, value]) => [name, isUrl(value, url) ? other : value]),
      )
    : params

/** The URL as rules see it: the hash is not sent, and a user name before the host would hide the host from rules. */
const requested = (url: URL): string => {
  const asked = new URL(url)
  asked.hash = ""
  asked.username = ""
  asked.password = ""
  return asked.href
}

/** A context made without an executor can lack rules; a spread copy of an executor's context has lost its getters. */
type RuledContext = Partial<Pick<HandlerContext, "call" | "verdictOn">>

/**
 * Returns a function that throws a ToolError for a redirect to a URL that the rules would not have let pass without asking.
 * URLs that already passed, such as of a page that reloads itself, are not checked again.
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
