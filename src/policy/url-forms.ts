/**
 * The forms of a URL that rules match: as it is written, as it is fetched, and as a server reads it. `https://a/b/../c` is fetched as
 * `https://a/c`, and `https://%61/` as `https://a/`. A server reads `/%62` as `/b`.
 */
import { domainToUnicode } from "node:url"

const ofTheWeb = /^(https?|wss?|ftp):$/

/** Anchored at the beginning: a lookbehind at every character would take quadratic time. */
const writtenPort = /^\w+:\/\/[^/?#]*?(:\d+)(?:[/?#]|$)/

/** `https://a/` and `https://a/?b` without their slash, which makes no difference. */
const withoutSlash = (form: string): string => form.replace(/^(\w+:\/\/[^/?#]+)\/(?=[?#]|$)/, "$1")

/** Decodes what needs no code, because it means the same (RFC 3986, 6.2.2.2). */
const decoded = (form: string): string =>
  form.replace(/%[2-7][\da-f]/gi, (code) => {
    const character = String.fromCharCode(Number.parseInt(code.slice(1), 16))
    return /[\w.~-]/.test(character) ? character : code
  })

/** All spellings of a URL's target; none for a text that is not a web URL. */
export const urlForms = (text: string): ReadonlyArray<string> => {
  if (!URL.canParse(text)) return []
  const { protocol, hostname, port, href } = new URL(text)
  if (!ofTheWeb.test(protocol)) return []
  // A trailing dot only marks a host name as complete.
  const named = hostname.replace(/\.$/, "")
  const written = domainToUnicode(named)
  // The default port is left out when the URL is fetched, but rules may name it.
  const said = port === "" ? (writtenPort.exec(text)?.[1] ?? "") : ""
  const hosts = [hostname, named, written].filter((host) => host !== "")
  const whole = hosts.flatMap((host) => [host, `${host}${said}`]).map((host) => href.replace(hostname, host))
  // The hash is not sent to the server.
  const forms = whole.flatMap((form) => [form, form.replace(/#.*/, "")])
  const all = [...forms, ...forms.map(withoutSlash)]
  return [...new Set([...all, ...all.map(decoded)])]
}
