/** Claude Code's rules for WebFetch: `domain:example.com`, `domain:*.example.com`. */
import { domainToASCII } from "node:url"
import { escaped } from "./globs.ts"
import type { ImportedRule, Importing, Outcome } from "./imported.ts"

const tools = ["fetch_url", "fetch_html"] as const

/** The parts of a fetched URL before and after its host. */
const scheme = "https?:\\/\\/"
const end = "\\.?(?::\\d+)?(?:[\\/?#][^]*)?"

const anyHost = "[^\\/?#@]+"

const onlyText =
  "Of `fetch_url` alone: no rule holds for what a page of `fetch_html` loads besides, so that is asked."

const hostBody = (domain: string): string | undefined => {
  const named = domain.trim().replace(/\.$/, "").toLowerCase()
  if (named === "*") return anyHost
  const isBelow = named.startsWith("*.")
  const rest = isBelow ? named.slice(2) : named
  // A star elsewhere matches the text between two dots.
  const marked = rest.replaceAll("*", "xx-star-xx")
  const ascii = domainToASCII(marked)
  if (ascii === "" || /[^\w.-]/.test(ascii)) return undefined
  const body = escaped(ascii).replaceAll("xx-star-xx", "[^.\\/?#@:]*")
  return isBelow ? `(?:[^.\\/?#@:]+\\.)+${body}` : body
}

/** Adds a rule for WebFetch. @param spec The text in its brackets; empty for none. */
export const addFetchRule = (importing: Importing, spec: string, entry: ImportedRule): Outcome => {
  const { kind, source } = entry
  const [, domain] = /^domain:([\s\S]*)$/.exec(spec) ?? []
  const host = spec === "" ? anyHost : domain === undefined ? undefined : hostBody(domain)
  if (host === undefined) {
    if (kind === "allow")
      return { status: "dropped", because: "It is no domain, as in `WebFetch(domain:example.com)`." }
    for (const tool of tools) importing.leaveAsked(tool, source)
    return { status: "asked", because: "It is about no domain, so every address is asked." }
  }
  const body = `${scheme}${host}${end}`
  if (kind === "allow") {
    importing.allow("fetch_url", { body, head: "" }, entry)
    return { status: "narrower", because: onlyText }
  }
  for (const tool of tools) {
    if (kind === "ask") importing.except(tool, { body: `${body}$`, head: "", source })
    else importing.deny(tool, spec === "" ? ".*" : `^\\w+:\\/\\/(?:[^\\/?#]*@)?${host}${end}$`)
  }
  return kind === "ask" ? { status: "asked", because: "No rule here allows it." } : { status: "same" }
}
