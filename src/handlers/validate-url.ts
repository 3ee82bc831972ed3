/** Checks a URL from a model before an approval is requested. */
import { problemOfUrl } from "../io/http.ts"
import { shownUrl } from "../io/shown-url.ts"
import { type EffectHandler, handler } from "../model/handler.ts"
import { Step, ToolError } from "../model/step.ts"

/** Throws a ToolError for anything but an http or https URL. */
export const parseUrl = (text: string): URL => {
  if (!URL.canParse(text)) {
    throw new ToolError(
      `Not a valid URL: ${JSON.stringify(shownUrl(text))}. Give an absolute one, such as https://example.org/page.`,
    )
  }
  const url = new URL(text)
  const problem = problemOfUrl(url)
  if (problem !== undefined) throw new ToolError(problem)
  return url
}

/** The length that servers accept; nobody should have to approve more. */
const maxUrlLength = 2048

/** Continues for an absolute http or https URL of at most 2,048 characters, without a user name or password. */
export const ValidateUrl = ({ url }: { readonly url: string }): EffectHandler =>
  handler("ValidateUrl", () => {
    if (url.length > maxUrlLength) {
      return Step.Error(`The URL has ${url.length} characters; at most ${maxUrlLength} can be fetched.`)
    }
    parseUrl(url)
    return Step.Continue
  })
