/**
 * The forms of a URL that rules match: as it is written, and as what fetches it reads it. `https://a/b/../c` is `https://a/c`,
 * and `https://%61/` is `https://a/`.
 */
import { domainToUnicode } from "node:url"

const ofTheWeb = /^(https?|wss?|ftp):$/

/** Read from its beginning: a look back from every character is quadratic in them. */
const writtenPort = /^\w+:\/\/[^/?#]*?(:\d+)(?:[/?#]|$)/

/** `https://a/` and `https://a/?b` without their slash: it makes no difference. */
const withoutSlash = (form: string): string => form.replace(/^(\w+:\/\/[^/?#]+)\/(?=[?#]|$)/, "$1")

/** All ways to write what a URL leads to. None for what is no URL of the web. */
export const urlForms = (text: string): ReadonlyArray<string> => {
  if (!URL.canParse(text)) return []
  const { protocol, hostname, port, href } = new URL(text)
  if (!ofTheWeb.test(protocol)) return []
  // A dot behind a host's name says that it is whole.
  const named = hostname.replace(/\.$/, "")
  const written = domainToUnicode(named)
  // The port that is meant without one is left out of what is fetched.
  const said = port === "" ? (writtenPort.exec(text)?.[1] ?? "") : ""
  const hosts = [hostname, named, written].filter((host) => host !== "")
  const whole = hosts.flatMap((host) => [host, `${host}${said}`]).map((host) => href.replace(hostname, host))
  // No server is told the hash.
  const forms = whole.flatMap((form) => [form, form.replace(/#.*/, "")])
  return [...new Set([...forms, ...forms.map(withoutSlash)])]
}
